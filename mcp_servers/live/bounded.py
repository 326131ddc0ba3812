"""Work that may hang is done in a thread of its own and left behind at its deadline."""

import subprocess
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as OutOfTime
from time import monotonic
from typing import Final, TypeVar

from domain.errors import ToolError, ToolTimeout, ToolUnavailable

T = TypeVar("T")
A = TypeVar("A")
_MOST_OUTPUT: Final = 8 << 20  # bytes of a command that are read


def within(seconds: float, what: str, work: Callable[[], T]) -> T:
    """What the work gives. Raises ToolTimeout when it takes longer, and what the work raises."""
    return _result(_begun(work), monotonic() + seconds, what)


def each_within(
    seconds: float, things: Iterable[A], name: Callable[[A], str], work: Callable[[A], T], problems: list[str]
) -> list[T]:
    """The work done on all things side by side; a thing that fails or takes longer becomes a problem."""
    end = monotonic() + seconds
    begun = [(name(thing), _begun(lambda thing=thing: work(thing))) for thing in things]  # type: ignore[misc]
    found: list[T] = []
    for what, future in begun:
        try:
            found.append(_result(future, end, what))
        except (ToolUnavailable, ToolTimeout) as exc:
            problems.append(str(exc))
    return found


def _begun(work: Callable[[], T]) -> Future[T]:
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except (ToolError, OSError, ValueError, LookupError) as exc:
            future.set_exception(exc)
        finally:
            if not future.done():  # an error nobody foresaw; the thread's own hook prints it
                future.set_exception(ToolUnavailable("broke while it was asked"))

    threading.Thread(target=run, daemon=True, name="live-source").start()
    return future


def _result(future: Future[T], end: float, what: str) -> T:
    try:
        return future.result(max(0.0, end - monotonic()))
    except OutOfTime as exc:
        if future.done():
            raise
        raise ToolTimeout(f"{what}: gave no answer in time") from exc


def output(command: list[str], seconds: float = 5.0) -> str:
    """What a command prints. Raises ToolUnavailable when it is missing, fails or takes too long."""
    name = command[0]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False, close_fds=True
        )
    except FileNotFoundError as exc:
        raise ToolUnavailable(f"{name}: is not installed here") from exc
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise ToolUnavailable(f"{name}: {exc}") from exc
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:200]
        raise ToolUnavailable(f"{name}: ended with {done.returncode}: {said}")
    return done.stdout[-_MOST_OUTPUT:].decode("utf-8", "replace")
