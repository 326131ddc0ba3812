"""Quotes that take some computing."""

import hashlib
import os

import http_app

ROUNDS = 20000


def quote(path, _):
    found = path.encode()
    for _ in range(ROUNDS):
        found = hashlib.sha256(found).digest()
    return 200, {"quote": found.hex()[:12]}


if __name__ == "__main__":
    print("starting quote-api 4.0.2", flush=True)
    http_app.serve("quote-api", {("GET", "/quote/"): quote}, os.environ.get("LISTEN", "0.0.0.0"), 8081)
