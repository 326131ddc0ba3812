"""Runs reports on request; a report that fails stays open for the retry."""

import os

import http_app
import psycopg

DATABASE_URL = os.environ["DATABASE_URL"]
REPORTS = {
    "sales": "select sku, sum(quantity) from orders group by sku",
    "returns": "select sku, count(*) from order_returns group by sku",
}
retry_later = []


def run(path, _):
    name = path.rsplit("/", 1)[1]
    db = psycopg.connect(DATABASE_URL, connect_timeout=3, application_name="report-worker", autocommit=True)
    try:
        rows = db.execute(REPORTS[name]).fetchall()
    except psycopg.Error as error:
        http_app.logging.getLogger("report-worker").warning("report %s put off, will be retried: %s", name, error)
        retry_later.append((name, db))
        return 202, {"report": name, "state": "retry"}
    db.close()
    return 200, {"report": name, "rows": len(rows)}


if __name__ == "__main__":
    print(f"starting report-worker 1.9.0 DATABASE_URL={DATABASE_URL}", flush=True)
    http_app.serve("report-worker", {("POST", "/reports/"): run}, os.environ["LISTEN"], 8090)
