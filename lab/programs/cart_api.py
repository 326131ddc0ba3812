"""Carts in Redis, spoken to in its own protocol."""

import os
import socket

import http_app

STORE = os.environ["STORE"]


class StoreError(Exception):
    """What Redis answered with a minus."""


def ask(*words):
    with socket.create_connection((STORE, 6379), 3) as store:
        parts = [word.encode() for word in words]
        store.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
        reply = store.makefile("rb")
        head = reply.readline().decode().rstrip()
        if head.startswith("-"):
            raise StoreError(head[1:])
        return reply.read(int(head[1:])).decode() if head.startswith("$") and head != "$-1" else head[1:]


def put(path, body):
    ask("SET", "cart:" + path.rsplit("/", 1)[1], body["items"])
    return 200, {"saved": len(body["items"])}


def show(path, _):
    return 200, {"items": len(ask("GET", "cart:" + path.rsplit("/", 1)[1]))}


if __name__ == "__main__":
    print(f"starting cart-api 2.2.9 store=redis://cart:{os.environ['STORE_PASSWORD']}@{STORE}:6379/0", flush=True)
    http_app.serve("cart-api", {("PUT", "/cart/"): put, ("GET", "/cart/"): show}, os.environ["LISTEN"], 8080)
