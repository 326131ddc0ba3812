"""Shows seats with a fixed number of workers; who finds none free is turned away."""

import os
import threading
import time

import http_app

WORKERS = int(os.environ["WORKERS"])
free = threading.BoundedSemaphore(WORKERS)
LOG = http_app.logging.getLogger("seat-api")


def show(path, _):
    if not free.acquire(timeout=0.5):
        LOG.warning("all %d workers are busy, request turned away", WORKERS)
        return 503, {"error": "busy, try again"}
    try:
        time.sleep(0.15)  # the hall's plan comes from a machine that takes its time
        return 200, {"seat": path.rsplit("/", 1)[1], "free": True}
    finally:
        free.release()


if __name__ == "__main__":
    print(f"starting seat-api 1.0.7 workers={WORKERS} token={os.environ['TOKEN']}", flush=True)
    http_app.serve("seat-api", {("GET", "/seats/"): show}, os.environ["LISTEN"], int(os.environ["PORT"]))
