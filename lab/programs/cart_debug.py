"""A debug build of cart-api that somebody left running: it has no store, so nothing works."""

import os

import http_app


def refuse(_, __):
    raise LookupError("debug build: no cart store is configured")


if __name__ == "__main__":
    print("starting cart-api 2.3.0-debug", flush=True)
    routes = {("GET", "/"): refuse, ("POST", "/"): refuse}
    http_app.serve("cart-debug", routes, os.environ["LISTEN"], int(os.environ["PORT"]))
