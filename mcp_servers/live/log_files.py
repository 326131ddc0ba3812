"""Log files by glob, with their rotated siblings. What is read of a file is what it held when it was looked at."""

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import weakref
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from backports import zstd

from domain.errors import BadBundle

MOST_FILES: Final = 500
MOST_BYTES: Final = 64 << 20  # of one file: its last ones, or the first that come out of an archive
_ROTATED: Final = re.compile(r"(?:\.\d{1,3}|[-.]\d{8}(?:[-.]?\d{1,10})?|\.old)?(?:\.(?:gz|zst|bz2|xz))?")
_OPENERS: Final = {".gz": gzip.open, ".zst": zstd.open, ".bz2": bz2.open, ".xz": lzma.open}
_BROKEN: Final = (OSError, EOFError, zlib.error, zstd.ZstdError, lzma.LZMAError)


@dataclass(eq=False)
class LogFile:
    """One file, held open: a rotation after this moment renames it but takes nothing of it away."""

    name: str
    descriptor: int
    size: int  # when it was looked at; what is written later is not read

    def __post_init__(self) -> None:
        weakref.finalize(self, os.close, self.descriptor)

    @property
    def start(self) -> int:
        """Where reading starts: plain files that are too large are read from near their end."""
        return 0 if self.packed else max(0, self.size - MOST_BYTES)

    @property
    def packed(self) -> bool:
        """Whether it is an archive."""
        return _ending(self.name) in _OPENERS

    def stream(self) -> BinaryIO:
        """Its bytes from a line's start on, unpacked. Reading raises BadBundle where it breaks or is too long."""
        raw = _Span(self, self.start, self.size)
        plain = io.BufferedReader(raw, 256 << 10)
        if self.packed:
            inner = cast(Any, _OPENERS[_ending(self.name)])(plain)
            return cast(BinaryIO, io.BufferedReader(_Unpacked(self.name, inner), 256 << 10))
        if self.start:
            plain.readline()
        return cast(BinaryIO, plain)

    def copy(self) -> BinaryIO:
        """What `stream` reads, as a file of its own that grows no more: a program may read it to its end."""
        copied = os.memfd_create(self.name.rpartition("/")[2], os.MFD_CLOEXEC)
        with self.stream() as stream:
            while block := stream.read(1 << 20):
                os.write(copied, block)
        os.lseek(copied, 0, os.SEEK_SET)
        return os.fdopen(copied, "rb", buffering=0)


class _Span(io.RawIOBase):
    """A part of a file, read without moving the descriptor that others read too."""

    def __init__(self, file: LogFile, start: int, end: int) -> None:
        self._file, self._at, self._end = file, start, end

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        most = min(len(buffer), self._end - self._at)
        try:
            found = os.pread(self._file.descriptor, most, self._at) if most > 0 else b""
        except OSError as exc:
            raise BadBundle(f"{self._file.name}: cannot be read: {exc.strerror}") from exc
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)


class _Unpacked(io.RawIOBase):
    """What comes out of an archive, as far as it goes and is wanted."""

    def __init__(self, name: str, inner: Any) -> None:
        self._name, self._inner, self._count = name, inner, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._count >= MOST_BYTES:
            raise BadBundle(f"{self._name}: holds more than {MOST_BYTES} bytes; reading stopped there")
        try:
            found: bytes = self._inner.read1(len(buffer))  # what came before a break comes out
        except _BROKEN as exc:
            raise BadBundle(f"{self._name}: broken archive ({exc})") from exc
        self._count += len(found)
        buffer[: len(found)] = found
        return len(found)


def log_files(globs: Iterable[str], since: datetime, problems: list[str]) -> list[LogFile]:
    """The files that the globs mean and their rotated siblings, each once, written to since then; sorted by name."""
    found: dict[tuple[int, int], LogFile] = {}
    for path in _paths(globs, problems):
        if len(found) >= MOST_FILES:
            problems.append(f"log_globs: more than {MOST_FILES} files; the others are not read")
            break
        try:
            _take(path, since, found)
        except OSError as exc:
            problems.append(f"{path.lstrip('/')}: cannot be opened: {exc.strerror}")
    return sorted(found.values(), key=lambda file: file.name)


def _paths(globs: Iterable[str], problems: list[str]) -> Iterator[str]:
    seen: set[Path] = set()
    beside: dict[Path, list[Path]] = {}
    for pattern in globs:
        matched = sorted(Path("/").glob(str(Path(pattern).absolute())[1:]))
        if not matched:
            problems.append(f"log_globs: {pattern} matches no file")
        for path in matched:
            if path.parent not in beside:
                beside[path.parent] = sorted(path.parent.iterdir())
            for each in (path, *_siblings(path, beside[path.parent])):
                if each not in seen:
                    seen.add(each)
                    yield str(each)


def _siblings(path: Path, beside: list[Path]) -> Iterator[Path]:
    """name.1, name.2.gz, name-20260818.zst: what rotation made of the file."""
    for each in beside:
        if each.name.startswith(path.name) and _ROTATED.fullmatch(each.name[len(path.name) :]):
            yield each


def _take(path: str, since: datetime, found: dict[tuple[int, int], LogFile]) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    seen = os.fstat(descriptor)
    key = (seen.st_dev, seen.st_ino)
    wanted = stat.S_ISREG(seen.st_mode) and seen.st_size and seen.st_mtime >= since.timestamp()
    if not wanted or key in found:  # renamed between two looks: the same file
        os.close(descriptor)
        return
    found[key] = LogFile(path.lstrip("/"), descriptor, seen.st_size)


def _ending(name: str) -> str:
    return name[name.rfind(".") :]
