"""Cuts a stream of bytes into chunks of whole lines: UTF-8, without control sequences, in bounded memory."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from analysis.text import strip_control
from bundle.limits import MIB, Limits
from domain.errors import BadBundle

_CONTROL = bytes(byte for byte in range(32) if byte not in b"\t\n") + b"\x7f"


@dataclass(frozen=True)
class Chunk:
    """Some whole lines of a text."""

    line: int  # number of the first of them, from 1
    data: bytes  # valid UTF-8; lines end with \n, the last of the text may not
    cut: int = 0  # lines so far in this text that were too long and lost their end


def chunks(stream: BinaryIO, limits: Limits, size: int = 2 * MIB) -> Iterator[Chunk]:
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
            line += whole.count(b"\n")
    if kept:
        yield Chunk(line, plain(kept), cut)
    if broken:
        raise broken


def plain(data: bytes) -> bytes:
    """The same lines as valid UTF-8 without escapes and control characters; the number of lines stays."""
    if data.isascii():
        if len(data.translate(None, _CONTROL)) == len(data):
            return data
    elif len(data.translate(None, _CONTROL)) == len(data) and _is_plain_utf8(data):
        return data
    return strip_control(data.decode("utf-8", "replace")).encode("utf-8", "replace")


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
