"""What a customer ordered before."""

import os

import http_app
import psycopg

DATABASE_URL = os.environ["DATABASE_URL"]


def show(path, _):
    with psycopg.connect(DATABASE_URL, connect_timeout=3, application_name="history-api") as db:
        rows = db.execute(
            "select id, note from history where md5(customer) = md5(%s)", (path.rsplit("/", 1)[1],)
        ).fetchall()
    return 200, {"orders": len(rows)}


if __name__ == "__main__":
    print(f"starting history-api 1.6.2 DATABASE_URL={DATABASE_URL}", flush=True)
    http_app.serve("history-api", {("GET", "/history/"): show}, os.environ["LISTEN"], int(os.environ["PORT"]))
