"""A read-only catalog; also plays other plain services by NAME."""

import os

import http_app

NAME = os.environ.get("NAME", "catalog-api")


def show(path, _):
    return 200, {"service": NAME, "item": path.rsplit("/", 1)[1], "price": 12.5}


def health(_, __):
    return 200, {"status": "ok"}


def accept(_, __):
    return 201, {"service": NAME, "accepted": True}


if __name__ == "__main__":
    print(f"starting {NAME} 5.0.4", flush=True)
    http_app.serve(
        NAME,
        {("GET", "/health"): health, ("GET", "/"): show, ("POST", "/"): accept},
        os.environ["LISTEN"],
        int(os.environ["PORT"]),
    )
