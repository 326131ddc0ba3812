"""A web process of its own for a measurement: how it is started, and where it listens."""

import sys
from subprocess import Popen

SERVE = (sys.executable, "-c", "from app.cli import main; main()", "serve", "--port", "0")


def address(server: Popen[str]) -> str:
    """The base of its URLs, from the line that it writes to stderr once it serves. Ends the measurement without one."""
    assert server.stderr is not None
    for line in server.stderr:
        if "serves http://" in line:
            return line.split()[2].rstrip(",").removesuffix("/incidents")
    raise SystemExit("the server did not start")
