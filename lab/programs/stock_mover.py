"""Counts stock of a pair of articles in one transaction, one after the other; ORDER says which one first."""

import logging
import os
import random
import sys
import time

import psycopg

NAME = os.environ["NAME"]
logging.basicConfig(format=f"%(asctime)s %(levelname)s [{NAME}] %(message)s", level=logging.INFO, stream=sys.stdout)
logging.Formatter.converter = time.gmtime
UP = os.environ["ORDER"] == "up"


def run(db):
    pair = ["SKU-38", "SKU-39"] if UP else ["SKU-39", "SKU-38"]
    with db.transaction():
        for sku in pair:
            db.execute("update products set stock = stock + 1 where sku = %s", (sku,))
            time.sleep(random.uniform(0.2, 0.5))


logging.info("starting %s 1.0.1", NAME)
with psycopg.connect(os.environ["DATABASE_URL"], application_name=NAME, autocommit=True) as connection:
    while True:
        try:
            run(connection)
            logging.info("stock of a pair counted")
        except psycopg.Error as error:
            logging.error("stock of a pair not counted: %s", str(error).replace("\n", " "))
        time.sleep(random.uniform(0.2, 0.8))
