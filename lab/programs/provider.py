"""A provider outside: charges cards, until it is told to have an outage."""

import os
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

outage = threading.Event()
signal.signal(signal.SIGUSR1, lambda *_: outage.set())


class Answer(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(503 if outage.is_set() else 200)
        self.end_headers()
        self.wfile.write(b'{"error": "service temporarily unavailable"}' if outage.is_set() else b"{}")

    do_GET = do_POST  # noqa: N815

    def log_message(self, *_):
        pass


ThreadingHTTPServer((os.environ["LISTEN"], 8080), Answer).serve_forever()
