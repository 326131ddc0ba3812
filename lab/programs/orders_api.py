"""Takes orders: a row for each, and less stock."""

import os

import http_app
import psycopg

DATABASE_URL = os.environ["DATABASE_URL"]


def connect():
    return psycopg.connect(
        DATABASE_URL,
        connect_timeout=3,
        application_name="orders-api",
        options="-c lock_timeout=4s -c statement_timeout=6s",
    )


def create(_, order):
    with connect() as db:
        db.execute("update products set stock = stock - %s where sku = %s", (order["quantity"], order["sku"]))
        row = db.execute(
            "insert into orders (sku, quantity, note) values (%s, %s, %s) returning id",
            (order["sku"], order["quantity"], order.get("note")),
        ).fetchone()
    return 201, {"order": row[0]}


def show(path, _):
    with connect() as db:
        row = db.execute("select id, sku, quantity from orders where id = %s", (path.rsplit("/", 1)[1],)).fetchone()
    return (200, {"order": row[0], "sku": row[1], "quantity": row[2]}) if row else (404, {"error": "no such order"})


if __name__ == "__main__":
    print(f"starting orders-api 4.12.1 DATABASE_URL={DATABASE_URL}", flush=True)
    http_app.serve(
        "orders-api", {("POST", "/api/orders"): create, ("GET", "/api/orders/"): show}, os.environ["LISTEN"], 8080
    )
