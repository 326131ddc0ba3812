"""A small web service: routes, a request log, an orderly stop."""

import json
import logging
import signal
import socketserver
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

logging.basicConfig(format="%(asctime)s %(levelname)s [%(name)s] %(message)s", level=logging.INFO, stream=sys.stdout)
logging.Formatter.converter = time.gmtime


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    name = "app"
    routes = {}  # noqa: RUF012
    known = set()  # noqa: RUF012  (kinds of errors whose traceback is in the log already)

    def answer(self):
        started = time.monotonic()
        try:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            status, reply = self.dispatch(body)
        except Exception as error:
            self.log.error(
                "%s %s failed: %s: %s",
                self.command,
                self.path,
                type(error).__name__,
                error,
                exc_info=type(error) not in self.known,
            )
            self.known.add(type(error))
            status, reply = 500, {"error": "internal error"}
        taken = 1000 * (time.monotonic() - started)
        self.log.info(
            '%s "%s %s" %d %.1fms agent="%s"',
            self.client_address[0],
            self.command,
            self.path,
            status,
            taken,
            self.headers.get("User-Agent", "-"),
        )
        data = json.dumps(reply).encode() + b"\n"
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

    def dispatch(self, body):
        for (method, prefix), route in self.routes.items():
            if self.command == method and self.path.startswith(prefix):
                return route(self.path, body)
        return 404, {"error": "not found"}

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 64

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def get_request(self):
        try:
            return super().get_request()
        except OSError as error:
            self.log.error("accept failed: %s", error)
            time.sleep(0.5)
            raise

    def handle_error(self, _, client_address):
        self.log.warning("connection from %s broke: %s", client_address[0], sys.exc_info()[1])


def serve(name, routes, address, port):
    log = logging.getLogger(name)
    handler = type("Routes", (Handler,), {"name": name, "routes": routes, "log": log})
    server = Server((address, port), handler)
    server.log = log
    server.daemon_threads = True

    def stop(*_):
        log.info("received SIGTERM, stopping")
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    log.info("listening on %s:%d", address, port)
    try:
        server.serve_forever()
    finally:
        log.info("stopped")
