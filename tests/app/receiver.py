"""A real HTTP server on loopback that remembers what was posted to it, and answers what it is told to."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """What came in."""

    port: int = 0
    answers: list[int] = field(default_factory=list)  # status of each post, the last one for all further ones
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    came: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def jsons(self) -> list[Any]:
        return [json.loads(body) for body in self.bodies]


@contextmanager
def receiver(*answers: int) -> Iterator[Receiver]:
    kept = Receiver(answers=list(answers) or [200])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept.bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            kept.headers.append({name.lower(): value for name, value in self.headers.items()})
            status = kept.answers.pop(0) if len(kept.answers) > 1 else kept.answers[0]
            self.send_response(status)
            if status in (301, 302, 307, 308):
                self.send_header("Location", kept.url("/elsewhere"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            kept.came.release()

        def log_message(self, format: str, *given: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    kept.port = server.server_address[1]
    serving = threading.Thread(target=server.serve_forever, args=(0.02,))
    serving.start()
    try:
        yield kept
    finally:
        server.shutdown()
        serving.join()
        server.server_close()
