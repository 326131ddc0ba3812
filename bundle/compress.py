"""Streams a file of a bundle, decompressed, and stops at the limits while it streams."""

import gzip
import io
import os
import threading
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from backports import zstd

from bundle.limits import KIB, Limits
from bundle.paths import open_inside
from domain.errors import BadBundle

_BUFFER = 256 * KIB
_BROKEN = (OSError, EOFError, zlib.error, zstd.ZstdError)


@dataclass
class Spent:
    """What has been decompressed so far in one bundle; a file that is read twice counts once."""

    by_file: dict[str, int] = field(default_factory=dict)
    total: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def grow(self, name: str, count: int) -> int:
        """Notes that this much of the file came out in one reading, and returns the total of all files."""
        with self.lock:
            before = self.by_file.get(name, 0)
            if count > before:
                self.by_file[name] = count
                self.total += count - before
            return self.total


def open_stream(root: Path, name: str, limits: Limits, spent: Spent) -> BinaryIO:
    """The file's bytes, decompressed where its name says so. Reading raises BadBundle at a limit or where it broke."""
    handle = os.fdopen(open_inside(root, name), "rb", buffering=0)
    size = os.fstat(handle.fileno()).st_size
    packed = packing(name)
    if packed == "":
        return io.BufferedReader(_Plain(name, handle, limits), _BUFFER)
    inner = gzip.GzipFile(fileobj=handle) if packed == "gzip" else zstd.ZstdFile(handle)
    return io.BufferedReader(_Unpacked(name, handle, cast(Any, inner), size, limits, spent), _BUFFER)


def packing(name: str) -> str:
    """gzip, zstd or empty, as the name ends."""
    return {".gz": "gzip", ".zst": "zstd"}.get(name[name.rfind(".") :], "")


class _Plain(io.RawIOBase):
    """A file as it lies on disk, without its holes at either end: a sparse file costs what it holds."""

    def __init__(self, name: str, handle: IO[bytes], limits: Limits) -> None:
        self._name, self._handle = name, handle
        start, end, size = extent(handle.fileno())
        handle.seek(start)
        self._left = min(end - start, limits.max_file_bytes)
        self._more = "" if end == size else f"is sparse: {size} bytes, of which {end - start} were read"
        if end - start > limits.max_file_bytes:
            self._more = f"is larger than the limit of {limits.max_file_bytes} bytes; the rest was not read"

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)[: self._left]
        if not len(view):
            if self._more:
                raise BadBundle(f"{self._name}: {self._more}")
            return 0
        try:
            count = cast(Any, self._handle).readinto(view) or 0
        except OSError as exc:
            raise BadBundle(f"{self._name}: cannot be read: {exc.strerror}") from exc
        self._left = self._left - count if count else 0
        return int(count)

    def close(self) -> None:
        self._handle.close()
        super().close()


class _Unpacked(io.RawIOBase):
    """The decompressed bytes of a file, which end with BadBundle where they grow past a limit or are broken."""

    def __init__(self, name: str, handle: IO[bytes], inner: Any, size: int, limits: Limits, spent: Spent) -> None:
        self._name, self._handle, self._inner = name, handle, inner
        self._size, self._limits, self._spent = size, limits, spent
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found: bytes = self._inner.read1(len(buffer))
        except _BROKEN as exc:
            raise BadBundle(f"{self._name}: byte {self._count} of its content: broken archive ({exc})") from exc
        self._count += len(found)
        self._check()
        buffer[: len(found)] = found
        return len(found)

    def _check(self) -> None:
        limits = self._limits
        if self._count > limits.max_decompressed_bytes:
            self._stop(f"more than {limits.max_decompressed_bytes} bytes when decompressed")
        if self._count > limits.ratio_from and self._count > self._size * limits.max_ratio:
            self._stop(f"decompresses to more than {limits.max_ratio} times its size")
        if self._spent.grow(self._name, self._count) > limits.max_total_bytes:
            self._stop(f"with it the bundle decompresses to more than {limits.max_total_bytes} bytes")

    def _stop(self, why: str) -> None:
        raise BadBundle(f"{self._name}: {why}; reading stopped there")

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
            self._handle.close()
        super().close()


def extent(descriptor: int) -> tuple[int, int, int]:
    """Start and end of the first stretch of data of a file, and its size."""
    found = os.fstat(descriptor)
    size = found.st_size
    if found.st_blocks * 512 >= size:
        return 0, size, size
    try:
        start = os.lseek(descriptor, 0, os.SEEK_DATA)
        return start, os.lseek(descriptor, start, os.SEEK_HOLE), size
    except OSError:  # ENXIO: nothing but a hole
        return 0, 0, size
