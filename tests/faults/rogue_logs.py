"""The logs of a recorded incident by our own server, over stdio, as a program that misbehaves when a text is read.

python -m tests.faults.rogue_logs BUNDLE die|hang|garbage|much
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bundle.bundle import open_bundle
from bundle.chunks import Chunk
from mcp_servers.governed import META
from mcp_servers.logs import logs
from mcp_servers.recorded.logs import RecordedLogs

MIB = 1 << 20
SECONDS = 2.0  # in the place of a minute: the tests wait for it


class RogueLogs(RecordedLogs):
    """Does what it was told to."""

    def chunks(self, name: str) -> Iterator[Chunk]:
        """The text, or what was told."""
        how = sys.argv[2]
        if how == "die":
            os._exit(3)
        if how == "hang":
            time.sleep(600)
        if how == "garbage":
            os.write(1, b'{"jsonrpc": "2.0", "id"\xff\xfe garbage \x00\n' * 1000)
            time.sleep(600)
        yield from super().chunks(name)

    def problems(self) -> tuple[str, ...]:
        """Far too many."""
        return ("x" * (50 * MIB),) if sys.argv[2] == "much" else ()


def main() -> None:
    """Serve over standard input and output until the client leaves."""
    of = logs(RogueLogs(open_bundle(Path(sys.argv[1]))))
    for tool in of._tool_manager._tools.values():
        tool.meta = {META: {**(tool.meta or {})[META], "timeout_seconds": SECONDS, "retries": 0}}
    of.run("stdio")


if __name__ == "__main__":
    main()
