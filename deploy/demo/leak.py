"""The demo's fault: answers /metrics and keeps two megabytes more each second, until its memory limit ends it."""

import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEPT = []


class Metrics(BaseHTTPRequestHandler):
    """Two gauges."""

    def do_GET(self) -> None:
        """Answer a scrape."""
        text = f"demo_sessions {len(KEPT)}\ndemo_cache_bytes {len(KEPT) * 2_000_000}\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *given: object) -> None:
        """Scrapes are not logged."""


def leak() -> None:
    """Sessions that nobody ends."""
    while True:
        KEPT.append(b"x" * 2_000_000)
        sys.stderr.write(f"INFO session cache holds {len(KEPT)} sessions, {len(KEPT) * 2} MB\n")
        time.sleep(1)


if __name__ == "__main__":
    threading.Thread(target=leak, daemon=True).start()
    HTTPServer(("0.0.0.0", 8000), Metrics).serve_forever()
