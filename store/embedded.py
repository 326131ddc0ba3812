"""The embedded Postgres: any number of processes share one server per data folder, and may come, go and be killed.

Three locks (flock, so the kernel drops them with their process) say all there is to know:

- `start.lock`, exclusive: somebody starts or stops the server.
- `users.lock`, shared: somebody uses it. Who gets it exclusively was the last one out.
- `alive.lock`, exclusive, inherited by the server itself: some process of the server lives. Neither a stale
  postmaster.pid nor a zombie can pretend to it.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final

from domain.errors import BadConfiguration, StoreUnavailable
from store import cluster
from store.binaries import binaries_for
from store.lock import open_lock, try_lock, wait_lock, wait_until
from store.place import Place, make_folder, place_for

_START_SECONDS: Final = 60.0  # a crash recovery on a busy machine included
_STOP_SECONDS: Final = 20.0


class EmbeddedServer:
    """One user's hold on the server of a data folder."""

    def __init__(self, place: Place, users: int, socket: Path) -> None:
        self._place = place
        self._users: int | None = users
        self.dsn = f"host={socket} port={cluster.PORT} user={cluster.USER} dbname=postgres"

    @classmethod
    def enter(cls, data: Path, *, named: bool = False) -> "EmbeddedServer":
        """Start the data folder's server, or join those who use it.

        `named` says that somebody chose the folder; only then does root's server stay in it. Raises
        BadConfiguration for what the operator must mend, StoreUnavailable where another try may help.
        """
        place = place_for(data, named=named)
        with _told(place):
            make_folder(place)
            with _starting(place) as lock:
                users = open_lock(place.folder / "users.lock")
                try:
                    # at once: the exclusive lock is only ever tried for under the start lock
                    try_lock(users, shared=True)
                    return cls(place, users, _ensure(place, lock))
                except BaseException:  # also when cancelled: a lock that stays open keeps the server up for ever
                    os.close(users)
                    raise

    def ensure(self) -> None:
        """Start the server again should it have died; its address stays the same."""
        with _told(self._place), _starting(self._place) as lock:
            _ensure(self._place, lock)

    def leave(self) -> None:
        """Let go; the last one out stops the server."""
        if self._users is None:
            return
        users, self._users = self._users, None
        try:
            if _is_at(users, self._place.folder / "users.lock"):
                with _told(self._place), _starting(self._place):
                    if try_lock(users):
                        _stop(self._place)
        finally:
            os.close(users)

    def __enter__(self) -> "EmbeddedServer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()


def _ensure(place: Place, lock: int) -> Path:
    """The socket's folder of a server that answers; called under the start lock."""
    if (found := _settle(place)) is None:
        _start(place, lock)
        if (found := _settle(place)) is None:
            cluster.remove_socket(place)
            raise cluster.why_not(place)
    return found


def _settle(place: Place) -> Path | None:
    """The socket's folder of a server that answers, None where no server lives; between the two it is waited for."""
    found: Path | None = None

    def settled() -> bool:
        nonlocal found
        found = _answering(place)
        return found is not None or not _lives(place)

    if not wait_until(settled, _START_SECONDS):
        raise StoreUnavailable(f"the embedded database does not answer for {_START_SECONDS:.0f} s, see {place.log}")
    return found


def _start(place: Place, lock: int) -> None:
    binaries = binaries_for(place)
    if not place.cluster.is_dir():
        cluster.create(place, binaries, lock)
    cluster.check_version(place, binaries)
    alive = open_lock(place.folder / "alive.lock")
    try:
        wait_lock(alive, _START_SECONDS, str(place.cluster))
        cluster.launch(place, binaries, alive)
    finally:
        os.close(alive)


def _stop(place: Place) -> None:
    found = cluster.read_postmaster(place)
    if found is None or not _lives(place):
        return
    cluster.shut_down(place, found, signal.SIGINT)
    if not wait_until(lambda: not _lives(place), _STOP_SECONDS):
        cluster.shut_down(place, found, signal.SIGQUIT)
        wait_until(lambda: not _lives(place), _STOP_SECONDS)
    cluster.remove_socket(place)


def _lives(place: Place) -> bool:
    """Whether any process of the server lives."""
    alive = open_lock(place.folder / "alive.lock")
    try:
        return not try_lock(alive)
    finally:
        os.close(alive)


def _answering(place: Place) -> Path | None:
    found, socket = cluster.read_postmaster(place), cluster.socket_folder(place)
    if found is None or found.status != "ready" or socket is None or not _lives(place):
        return None
    if not cluster.has_socket(socket):
        cluster.shut_down(place, found, signal.SIGINT)
        return None
    return socket if cluster.answers(socket) else None


@contextlib.contextmanager
def _starting(place: Place) -> Iterator[int]:
    """Hold the start lock."""
    lock = open_lock(place.folder / "start.lock")
    try:
        wait_lock(lock, 2 * _START_SECONDS, str(place.folder))
        yield lock
    finally:
        os.close(lock)


@contextlib.contextmanager
def _told(place: Place) -> Iterator[None]:
    """Tell the operator what the system refuses."""
    try:
        yield
    except OSError as exc:
        raise BadConfiguration(f"cannot keep a database under {place.folder}: {exc}") from exc


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the open file is still the one at this path: the data folder may have been removed or made anew."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False
