"""Servers of a test's own, and the means to hurt them."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from store.cluster import answers, read_postmaster, socket_folder
from store.embedded import EmbeddedServer
from store.lock import open_lock, try_lock, wait_until
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


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a cluster that is stopped, to be copied."""
    folder = tmp_path_factory.mktemp("made")
    EmbeddedServer.enter(folder, named=True).leave()
    return folder


@pytest.fixture
def fresh_folder() -> Iterator[Path]:
    """An empty data folder, private to its owner; what still runs in it at the end is stopped."""
    with tempfile.TemporaryDirectory(prefix="fb-", dir=_roomy()) as folder:
        yield Path(folder)
        _stop(Path(folder))


@pytest.fixture
def short_folder(fresh_folder: Path, made: Path) -> Path:
    """A data folder as it is when its server was stopped."""
    subprocess.run(["cp", "-a", made / "postgres", fresh_folder], check=True)
    return fresh_folder


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
        folder = socket_folder(place_for(data, named=True))
        return folder is not None and answers(folder)

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


def _roomy() -> str | None:
    """A folder in memory, where there is room: a cluster is a thousand files."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > 2**30 else None


def _stop(data: Path) -> None:
    """Stop the server of holders that were killed, by the way that any other holder would."""
    lock = data / "postgres" / "alive.lock"
    if not lock.exists():
        return
    descriptor = open_lock(lock)
    lives = not try_lock(descriptor)
    os.close(descriptor)
    if lives:
        EmbeddedServer.enter(data, named=True).leave()
