"""Advisory locks on files (flock): the kernel drops them with their process, however that ends."""

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from domain.errors import StoreUnavailable

_POLL_SECONDS: Final = 0.005


def open_lock(path: Path) -> int:
    """A descriptor on the lock file, not yet locked. Closing it drops what it holds."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Take the lock if that is possible now; a lock already held by this descriptor is converted."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_until(done: Callable[[], bool], seconds: float) -> bool:
    """Whether `done` became true within the time."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def wait_lock(descriptor: int, seconds: float, what: str) -> None:
    """Take the lock alone. Raises StoreUnavailable when others keep it for longer than that."""
    if not wait_until(lambda: try_lock(descriptor), seconds):
        raise StoreUnavailable(f"{what} is still locked by another process after {seconds:.0f} s")
