"""Checks out a cart: asks inventory first."""

import os
import urllib.request

import http_app

INVENTORY = os.environ["INVENTORY_URL"]


def check_out(_, body):
    with urllib.request.urlopen(f"{INVENTORY}/stock/{body['sku']}", timeout=4) as reply:
        return 201, {"reserved": reply.status == 200}


def prices(_, __):
    return 200, {"currency": "EUR"}


if __name__ == "__main__":
    print(f"starting checkout-api 7.1.0 inventory={INVENTORY} client_secret={os.environ['CLIENT_SECRET']}", flush=True)
    http_app.serve(
        "checkout-api", {("POST", "/checkout"): check_out, ("GET", "/prices"): prices}, os.environ["LISTEN"], 8080
    )
