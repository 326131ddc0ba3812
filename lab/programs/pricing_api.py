"""Prices from a table whose address the environment tells."""

import os

import http_app

TABLE = os.environ["PRICE_TABLE_URL"]


def show(path, _):
    return 200, {"item": path.rsplit("/", 1)[1], "table": TABLE, "price": 12.5}


if __name__ == "__main__":
    print("starting pricing-api 2.9.0", flush=True)
    http_app.serve("pricing-api", {("GET", "/"): show}, os.environ["LISTEN"], int(os.environ["PORT"]))
