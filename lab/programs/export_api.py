"""A thread for every export; it waits for its reader, however long that takes."""

import threading

import http_app

waiting = []


def start(_, body):
    thread = threading.Thread(target=threading.Event().wait, name=f"export-{body['id']}", daemon=True)
    thread.start()
    waiting.append(thread)
    return 202, {"export": body["id"]}


def show(path, _):
    return 200, {"export": path.rsplit("/", 1)[1], "running": len(waiting)}


if __name__ == "__main__":
    print("starting export-api 1.1.4", flush=True)
    http_app.serve("export-api", {("POST", "/exports"): start, ("GET", "/exports/"): show}, "0.0.0.0", 8081)
