"""Takes over the supplier's prices: one transaction for all of them, and the supplier's feed is read inside it."""

import logging
import os
import socket
import sys
import time

import psycopg

logging.basicConfig(
    format="%(asctime)s %(levelname)s [price-import] %(message)s", level=logging.INFO, stream=sys.stdout
)
logging.Formatter.converter = time.gmtime
FEED = (os.environ["FEED"], 9400)


def read_feed():
    with socket.create_connection(FEED) as feed:
        feed.sendall(b"PRICES\n")
        return feed.makefile().readline()


def run(db):
    with db.transaction():
        rows = db.execute("update products set price = price * 1.01 where sku <> 'SKU-1' returning sku").fetchall()
        logging.info("%d prices updated, waiting for the surcharge table of the supplier feed", len(rows))
        surcharge = read_feed()
        db.execute("update products set price = price + %s where sku <> 'SKU-1'", (float(surcharge),))
    logging.info("import committed, surcharge %s", surcharge.strip())


logging.info("starting price-import 0.8.2 feed=%s:%d", *FEED)
while True:
    with psycopg.connect(os.environ["DATABASE_URL"], application_name="price-import", autocommit=True) as connection:
        run(connection)
    time.sleep(15)
