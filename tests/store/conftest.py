"""Servers of a test's own, and the means to hurt them."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from store.cluster import listener, read_postmaster
from store.embedded import EmbeddedServer
from store.lock import wait_until
from store.place import place_for

# enters, says where the server is, waits for a line or the end of its input, leaves
_HOLDER = """
import sys
from pathlib import Path
from store.embedded import EmbeddedServer
with EmbeddedServer.enter(Path(sys.argv[1]), named=sys.argv[2] == "named") as server:
    print(server.dsn, flush=True)
    sys.stdin.readline()
"""

Hold = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A data folder that is private to its owner, with a server that is stopped at the end, come what may."""
    with tempfile.TemporaryDirectory(prefix="fb-") as folder:
        yield Path(folder)
        # whoever was killed has left its server to the next one
        EmbeddedServer.enter(Path(folder), named=True).leave()


@pytest.fixture
def hold() -> Iterator[Hold]:
    """Start a process that uses the server of a data folder until it is told to go."""
    holders: list[subprocess.Popen[str]] = []

    def start(data: Path, *, named: bool = True, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", _HOLDER, str(data), "named" if named else "default"]
        holder = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | (env or {})
        )
        holders.append(holder)
        return holder

    yield start
    for holder in holders:
        holder.kill()
        holder.communicate()


@pytest.fixture
def kill_postmaster() -> Callable[[Path], None]:
    """Kill -9 the postmaster of a named data folder."""

    def kill(data: Path) -> None:
        os.kill(postmaster_pid(data), signal.SIGKILL)

    return kill


@pytest.fixture
def serves() -> Callable[[Path], bool]:
    """Whether somebody answers on the socket that the data folder's server last had."""

    def ask(data: Path) -> bool:
        found = read_postmaster(place_for(data, named=True))
        return found is not None and listener(found.socket) is not None

    return ask


@pytest.fixture
def pid_of() -> Callable[[Path], int]:
    """The postmaster's pid."""
    return postmaster_pid


def postmaster_pid(data: Path) -> int:
    """The pid in postmaster.pid of a named data folder."""
    place = place_for(data, named=True)
    assert wait_until(lambda: read_postmaster(place) is not None, 20)
    found = read_postmaster(place)
    assert found is not None
    return found.pid
