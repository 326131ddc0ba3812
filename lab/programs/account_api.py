"""Shows accounts to whoever has a token; gets the token from the issuer itself, as its web front would."""

import base64
import hashlib
import hmac
import json
import os
import time
import urllib.request

import http_app

LEEWAY = 30  # seconds by which clocks may differ


class TokenError(Exception):
    """The token is no good."""


def claims_of(token):
    told, _, signature = token.partition(".")
    mine = hmac.new(os.environ["SECRET"].encode(), told.encode(), hashlib.sha256).digest()
    if signature != base64.urlsafe_b64encode(mine).decode().rstrip("="):
        raise TokenError("signature does not match")
    claims = json.loads(base64.urlsafe_b64decode(told + "=" * (-len(told) % 4)))
    now = time.time()
    if claims["iat"] > now + LEEWAY:
        raise TokenError(f"token used before issued (iat is {claims['iat'] - now:.0f} s in the future)")
    if claims["exp"] < now - LEEWAY:
        raise TokenError(f"token is expired by {now - claims['exp']:.0f} s")
    return claims


def show(path, _):
    subject = path.rsplit("/", 1)[1]
    with urllib.request.urlopen(f"{os.environ['ISSUER']}/token?sub={subject}", timeout=4) as reply:
        return 200, {"account": claims_of(reply.read().decode())["sub"]}


if __name__ == "__main__":
    print(f"starting account-api 3.5.0 issuer={os.environ['ISSUER']} secret={os.environ['SECRET']}", flush=True)
    http_app.serve("account-api", {("GET", "/account/"): show}, os.environ["LISTEN"], int(os.environ["PORT"]))
