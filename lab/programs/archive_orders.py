"""Writes an export of all orders beside the database every few seconds; old ones are removed if KEEP says so."""

import logging
import os
import pathlib
import sys
import time

import psycopg

logging.basicConfig(
    format="%(asctime)s %(levelname)s [orders-archive] %(message)s", level=logging.INFO, stream=sys.stdout
)
logging.Formatter.converter = time.gmtime
FOLDER = pathlib.Path(os.environ["FOLDER"])
KEEP = int(os.environ.get("KEEP", "0"))


def export(target):
    with (
        psycopg.connect(os.environ["DATABASE_URL"], application_name="orders-archive") as db,
        target.open("wb") as out,
        db.cursor().copy("copy (select * from orders) to stdout") as rows,
    ):
        for row in rows:
            out.write(row)


FOLDER.mkdir(exist_ok=True)
logging.info("starting orders-archive 2.0.3 folder=%s keep=%s", FOLDER, KEEP or "all")
while True:
    path = FOLDER / f"orders-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}.copy"
    try:
        export(path)
        logging.info("exported %s, %d bytes", path.name, path.stat().st_size)
    except (OSError, psycopg.Error) as error:
        logging.error("export %s failed: %s", path.name, error)
    for old in sorted(FOLDER.glob("*.copy"))[:-KEEP] if KEEP else []:
        old.unlink()
        logging.info("removed %s", old.name)
    time.sleep(float(os.environ["PAUSE"]))
