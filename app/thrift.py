"""Memory that a process without work gives back: of some 100 MB that an investigation uses, the next needs little."""

import asyncio
import ctypes
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

REST_AFTER: Final = 3.0  # seconds without work
_ARENA_MAX: Final = -8  # M_ARENA_MAX of glibc's malloc.h
_ARENAS: Final = 2  # each thread's own would keep what one search used; Python runs one thread at a time anyway


def few_arenas() -> None:
    """Have glibc share its heaps between threads; another C library has no such heaps."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Return to the system what is free."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


class Rest:
    """Rests once nothing has run for a while."""

    def __init__(self, rest: Callable[[], None], after: float = REST_AFTER) -> None:
        self._rest = rest
        self._after = after
        self._running = 0
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def working(self) -> Iterator[None]:
        """Something runs meanwhile."""
        self._running += 1
        self.cancel()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._after, lambda: loop.run_in_executor(None, self._rest))

    def cancel(self) -> None:
        """Not now."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
