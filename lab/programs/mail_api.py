"""Takes orders and puts a mail for each into a list of Redis."""

import json
import os
import socket

import http_app

QUEUE = os.environ["QUEUE"]


def push(text):
    with socket.create_connection((QUEUE, 6379), 3) as store:
        words = [b"LPUSH", b"mails", text.encode()]
        store.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        return store.makefile("rb").readline()


def order(_, body):
    push(json.dumps(body))
    return 201, {"accepted": body["id"]}


if __name__ == "__main__":
    print(f"starting shop-api 9.0.3 queue={QUEUE}", flush=True)
    http_app.serve("shop-api", {("POST", "/orders"): order}, os.environ["LISTEN"], int(os.environ["PORT"]))
