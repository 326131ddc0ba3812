"""Live text sources: log files with their rotation, the logs of containers, the journal."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import BinaryIO, Final

from analysis.lines.timestamps import Clock, parse_line_time
from bundle.chunks import Chunk, chunks
from bundle.limits import Limits
from domain.errors import BadBundle, ToolTimeout, ToolUnavailable
from mcp_servers.live import journal
from mcp_servers.live.answer import attempt
from mcp_servers.live.engine import Engine
from mcp_servers.live.log_files import LogFile, log_files
from mcp_servers.live.watch import Watch

CONTAINER: Final = "container/"
FRESH_SECONDS: Final = 5.0  # a server that stays up looks again when its last look is older
_LIMITS: Final = Limits()
_STAMPED_OF: Final = 40  # first lines of a container's log that tell whether it stamps its lines itself


@dataclass
class _Look:
    """What was there at one moment. Everything is read as it was then, however fast it grows."""

    clock: Clock
    at: float
    files: dict[str, LogFile] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)  # of the journal, and of containers once they were read
    containers: tuple[str, ...] = ()
    problems: list[str] = field(default_factory=list)
    engine_is_away: bool = False

    def names(self) -> tuple[str, ...]:
        """All sources, sorted."""
        return tuple(sorted({*self.files, *self.texts, *self.containers}))


class LiveLogs:
    """The texts of this machine. An incident's are looked at once; without one, anew when the last look is old."""

    def __init__(
        self, globs: tuple[str, ...], engine: Engine, journal_at: str, watch: Watch, *, prefix: str = ""
    ) -> None:
        self._globs, self._engine, self._journal, self._watch = globs, engine, journal_at, watch
        self._prefix = prefix  # before every name, to tell the sources of several hosts apart
        self._look: _Look | None = None
        self._lock = Lock()

    @property
    def clock(self) -> Clock:
        """Now, after which nothing is returned."""
        return self._seen().clock

    def names(self) -> tuple[str, ...]:
        """All text sources, sorted: paths without the first slash, container/<name>, journal/<unit>."""
        return tuple(f"{self._prefix}{name}" for name in self._seen(fresh=True).names())

    def size(self, name: str) -> int:
        """Bytes there were when it was looked at."""
        look, name = self._seen(), name.removeprefix(self._prefix)
        if file := look.files.get(name):
            return file.size - file.start
        try:
            return len(self._text(look, name))
        except BadBundle:
            return 0

    def chunks(self, name: str) -> Iterator[Chunk]:
        """The text in whole lines; of a very large file its end."""
        look, name = self._seen(), name.removeprefix(self._prefix)
        if file := look.files.get(name):
            with file.stream() as stream:
                yield from chunks(stream, _LIMITS)
        else:
            yield from chunks(io.BytesIO(self._text(look, name)), _LIMITS)

    def open_plain(self, name: str) -> BinaryIO | None:
        """A copy of what there was, for a program that reads to the end: the file itself may grow for ever."""
        file = self._seen().files.get(name.removeprefix(self._prefix))
        return None if file is None or file.packed else file.copy()

    def problems(self) -> tuple[str, ...]:
        """What should be a text source and cannot be read, and what was read in part."""
        look = self._seen()
        cut = [
            f"{file.name}: {file.size} bytes; the last {file.size - file.start} were read and lines are counted there"
            for file in look.files.values()
            if file.start
        ]
        return (*dict.fromkeys(look.problems), *cut)

    def leave(self) -> None:
        """Lets the files go; whoever asks again looks again."""
        with self._lock:
            self._look = None

    def _seen(self, *, fresh: bool = False) -> _Look:
        with self._lock:
            old = self._look is not None and self._watch.window is None and monotonic() - self._look.at > FRESH_SECONDS
            if self._look is None or (fresh and old):
                self._look = self._taken()
            return self._look

    def _taken(self) -> _Look:
        watch = self._watch
        look = _Look(watch.stamps, monotonic())
        look.files = {file.name: file for file in log_files(self._globs, watch.start, look.problems)}
        look.texts = _journal(self._journal, watch, look.problems)
        there = self._engine.is_there
        running = attempt(lambda: self._engine.containers(look.problems) if there else [], look.problems)
        look.containers = tuple(f"{CONTAINER}{str(one.get('Name', '')).lstrip('/')}" for one in running)
        return look

    def _text(self, look: _Look, name: str) -> bytes:
        with self._lock:
            if name in look.texts:
                return look.texts[name]
        if name not in look.containers:
            raise BadBundle(f"{name}: no source has such a name")
        if look.engine_is_away:
            raise BadBundle(f"{name}: not asked for, since the engine does not answer")
        try:
            raw = self._engine.log(name.removeprefix(CONTAINER), self._watch.start)
        except (ToolUnavailable, ToolTimeout) as exc:
            look.engine_is_away = True  # a hundred time-outs would tell no more than one
            look.problems.append(f"{name}: {exc}")
            raise BadBundle(f"{name}: {exc}") from exc
        with self._lock:
            return look.texts.setdefault(name, own_lines(raw, look.clock))


def _journal(at: str, watch: Watch, problems: list[str]) -> dict[str, bytes]:
    return dict(attempt(lambda: list(journal.texts(at, watch.start, watch.end).items()), problems))


def own_lines(raw: bytes, clock: Clock) -> bytes:
    """The log without the engine's stamps where the program writes its own; they stay where it writes none."""
    pairs = [line.partition(b" ") for line in raw.split(b"\n")]
    first = [text for _, _, text in pairs if text.strip()][:_STAMPED_OF]
    stamped = sum(parse_line_time(text.decode("utf-8", "replace")[:400], clock) is not None for text in first)
    if not first or stamped * 2 < len(first):
        return raw
    return b"\n".join(text for _, _, text in pairs)
