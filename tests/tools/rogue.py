"""An MCP server of ours that misbehaves on request, as a program of its own; over stdio."""

import os
import sys
import time

from domain.results import Line, Lines, Searched
from mcp_servers.governed import reads, server

MIB = 1 << 20


def main() -> None:
    """Serve over standard input and output until the client leaves."""
    of = server("rogue", "for tests")

    @reads(of, view="lines", roles=("log",), timeout_seconds=1.0, retries=0)
    def rogue_ask(what: str = "well") -> Lines:
        """Answers well, or dies, hangs, prints garbage into the protocol, or says far too much."""
        if what == "die":
            os._exit(3)
        if what == "hang":
            time.sleep(600)
        if what == "stop":
            os.kill(os.getpid(), 19)  # SIGSTOP: the whole process goes silent
        if what == "garbage":
            os.write(1, b'{"jsonrpc": "2.0", "id"\xff\xfe garbage \x00\n' * 1000)
            time.sleep(600)
        text = "x" * (50 * MIB) if what == "much" else f"answered by {os.getpid()}"
        return Lines((Line("rogue", 1, text),), Searched("rogue", matched=1, returned=1))

    of.run("stdio")


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())  # noqa: PTH109
    main()
