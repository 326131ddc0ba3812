"""Cuts a stream of bytes into chunks of whole lines: UTF-8, without control sequences, in bounded memory."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from analysis.text import strip_control
from bundle.limits import KIB, Limits
from domain.errors import BadBundle

SIZE = 256 * KIB  # stays in a processor's own cache while all that looks at it does so
_LINE_END, _BLANK = 10, 32  # what is below a blank is a control character


@dataclass(frozen=True)
class Chunk:
    """Some whole lines of a text."""

    line: int  # number of the first of them, from 1
    data: bytes  # valid UTF-8; lines end with \n, the last of the text may not
    cut: int = 0  # lines so far in this text that were too long and lost their end


def chunks(stream: BinaryIO, limits: Limits, size: int = SIZE) -> Iterator[Chunk]:
    """The text in chunks of about `size` bytes. What was read before a BadBundle comes out before it is raised."""
    size = min(size, limits.max_line_bytes * 2)
    line, cut, kept, skipping = 1, 0, b"", False
    broken: BadBundle | None = None
    blocks = _blocks(stream, size)
    while True:
        try:
            block = next(blocks, b"")
        except BadBundle as exc:
            block, broken = b"", exc
        if not block:
            break
        if skipping:
            end = block.find(b"\n")
            if end < 0:
                continue
            block, skipping = block[end:], False
        block = kept + block
        end = block.rfind(b"\n") + 1
        whole, kept = block[:end], block[end:]
        if len(kept) > limits.max_line_bytes:
            kept, cut, skipping = _whole_characters(kept[: limits.max_line_bytes]), cut + 1, True
        if whole:
            yield Chunk(line, plain(whole), cut)
            line += _count(whole, _LINE_END)
    if kept:
        yield Chunk(line, plain(kept), cut)
    if broken:
        raise broken


def plain(data: bytes) -> bytes:
    """The same lines as valid UTF-8 without escapes and control characters; the number of lines stays."""
    if not _has_control(data) and (data.isascii() or _is_plain_utf8(data)):
        return data
    return strip_control(data.decode("utf-8", "replace")).encode("utf-8", "replace")


def _has_control(data: bytes) -> bool:
    """Whether it holds a control character other than tabs and line ends; numpy counts several bytes at a time."""
    low = int(np.count_nonzero(np.frombuffer(data, np.uint8) < _BLANK)) - _count(data, _LINE_END)
    return b"\x7f" in data or (low > 0 and low > data.count(b"\t"))


def _count(data: bytes, byte: int) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == byte))


def _is_plain_utf8(data: bytes) -> bool:
    if b"\xc2" in data or b"\xe2\x80" in data:  # C1 controls and line separators live there
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _whole_characters(data: bytes) -> bytes:
    return data.decode("utf-8", "ignore").encode() if data[-1:] >= b"\x80" else data


def _blocks(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Blocks of the stream; UTF-16 comes out as UTF-8, a byte order mark is left out."""
    read = getattr(stream, "read1", stream.read)  # read1 keeps what came before an error
    first = read(size)
    encoding, mark = _encoding(first)
    first = first[mark:]
    if encoding == "utf-8":
        yield first
        while block := read(size):
            yield block
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    yield decoder.decode(first).encode("utf-8", "replace")
    while block := read(size):
        yield decoder.decode(block).encode("utf-8", "replace")


def _encoding(head: bytes) -> tuple[str, int]:
    """The text's encoding and the length of its mark, told as analysis.text.decode tells it."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if head.startswith(mark):
            return name, len(mark)
    probe = head[:4096]
    if len(probe) < 4 or b"\0" not in probe:
        return "utf-8", 0
    half = len(probe) // 2
    even, odd = probe[0::2].count(0), probe[1::2].count(0)
    if odd > half * 0.6 and even < half * 0.05:
        return "utf-16-le", 0
    if even > half * 0.6 and odd < half * 0.05:
        return "utf-16-be", 0
    return "utf-8", 0
