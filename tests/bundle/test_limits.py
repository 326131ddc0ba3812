"""Reading stops at its limits while it streams, in bounded memory."""

import gzip
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from bundle.bundle import open_bundle
from bundle.chunks import chunks, plain
from bundle.limits import MIB, Limits
from domain.errors import BadBundle
from tests.bundle.conftest import Make

SMALL = Limits(ratio_from=MIB, max_ratio=100, max_decompressed_bytes=8 * MIB, max_line_bytes=MIB)


def read_all(root: Path, name: str, limits: Limits) -> int:
    with open_bundle(root, limits).open_bytes(name) as stream:
        return sum(len(block) for block in iter(lambda: stream.read(65536), b""))


@pytest.mark.parametrize(("name", "packed"), [("logs/bomb.gz", gzip.compress), ("logs/bomb.zst", zstd.compress)])
def test_a_decompression_bomb_stops_while_it_streams(make: Make, name: str, packed: Callable[[bytes], bytes]) -> None:
    root = make({name: packed(b"0" * 64 * MIB)})
    tracemalloc.start()
    with pytest.raises(BadBundle, match=r"bomb.*times its size"):
        read_all(root, name, SMALL)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * MIB


def test_a_file_and_a_bundle_have_a_largest_size_when_decompressed(make: Make) -> None:
    noise = os.urandom(2 * MIB)
    root = make({"logs/a.gz": gzip.compress(noise), "logs/b.gz": gzip.compress(noise)})
    with pytest.raises(BadBundle, match=r"logs/a\.gz: more than 1048576 bytes"):
        read_all(root, "logs/a.gz", Limits(max_decompressed_bytes=MIB))
    bundle = open_bundle(root, Limits(max_total_bytes=3 * MIB))
    assert len(bundle.read_bytes("logs/a.gz")) == 2 * MIB
    assert len(bundle.read_bytes("logs/a.gz")) == 2 * MIB, "reading again costs nothing"
    with pytest.raises(BadBundle, match="the bundle decompresses to more than"):
        bundle.read_bytes("logs/b.gz")


def test_a_truncated_archive_gives_what_it_holds_and_then_says_that_it_is_broken(make: Make) -> None:
    text = "".join(f"line {n} {os.urandom(8).hex()}\n" for n in range(20_000)).encode()
    root = make({"logs/cut.log.gz": gzip.compress(text)[:-200_000]})
    lines = 0
    with open_bundle(root).open_bytes("logs/cut.log.gz") as stream, pytest.raises(BadBundle, match="broken archive"):
        for chunk in chunks(stream, Limits()):
            lines += chunk.data.count(b"\n")
    assert lines > 1000


def test_a_sparse_file_of_five_gigabytes_costs_what_it_holds(make: Make) -> None:
    root = make({"logs/sparse.log": "first line\n" * 1000, "logs/hole.log": ""})
    os.truncate(root / "logs/sparse.log", 5 << 30)
    os.truncate(root / "logs/hole.log", 5 << 30)
    bundle = open_bundle(root)
    with bundle.open_bytes("logs/sparse.log") as stream:
        found = list_until_broken(stream)
    assert found[0].startswith(b"first line\n") and "is sparse" in found[1]


def list_until_broken(stream: BinaryIO) -> tuple[bytes, str]:
    """What comes before the break, and what it says."""
    data = b""
    try:
        for chunk in chunks(stream, Limits()):
            data += chunk.data
    except BadBundle as exc:
        return data, str(exc)
    return data, ""


def test_a_plain_file_has_a_largest_size(make: Make) -> None:
    root = make({"logs/a.log": b"x\n" * MIB})
    with pytest.raises(BadBundle, match=r"larger than the limit of 1048576 bytes"):
        read_all(root, "logs/a.log", Limits(max_file_bytes=MIB))
    with pytest.raises(BadBundle, match="read into memory"):
        open_bundle(root, Limits(max_document_bytes=MIB)).read_bytes("logs/a.log")


def test_a_line_of_thirty_megabytes_is_cut_and_counted(make: Make) -> None:
    root = make({"logs/long.log.gz": gzip.compress(b"before\n" + b"x" * 30 * MIB + b"\nafter\n", 1)})
    limits = Limits(max_line_bytes=64 * 1024, max_ratio=5000)
    tracemalloc.start()
    with open_bundle(root, limits).open_bytes("logs/long.log.gz") as stream:
        found = list(chunks(stream, limits))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    lines = b"".join(chunk.data for chunk in found).split(b"\n")
    assert lines[0] == b"before" and lines[2] == b"after" and len(lines) == 4
    assert 64 * 1024 <= len(lines[1]) <= 192 * 1024
    assert found[-1].cut == 1 and peak < 4 * MIB


@pytest.mark.slow
def test_a_line_of_two_hundred_megabytes_needs_little_memory(make: Make) -> None:
    root = make({"logs/long.log": ""})
    with (root / "logs/long.log").open("wb") as file:
        for _ in range(200):
            file.write(b"x" * MIB)
        file.write(b"\nafter\n")
    tracemalloc.start()
    with open_bundle(root).open_bytes("logs/long.log") as stream:
        found = list(chunks(stream, Limits()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found[-1].cut == 1 and found[-1].data.endswith(b"after\n") and peak < 32 * MIB


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("ünïcode\r\nzwei\n".encode("utf-16"), "ünïcode\nzwei\n"),
        ("plain enough to be seen\n".encode("utf-16-le"), "plain enough to be seen\n"),
        ("plain enough to be seen\n".encode("utf-16-be"), "plain enough to be seen\n"),
        (b"\xef\xbb\xbfmark\n", "mark\n"),
        (b"bad \xff\xfe byte\n", "bad \ufffd\ufffd byte\n"),
        (b"\x1b[31mred\x1b[0m\x07 bell\n\tnext\n", "red bell\n\tnext\n"),
        (b"no end of line", "no end of line"),
        (b"", ""),
    ],
)
def test_every_encoding_comes_out_as_plain_utf8_with_its_lines(make: Make, raw: bytes, text: str) -> None:
    with open_bundle(make({"logs/a.log": raw})).open_bytes("logs/a.log") as stream:
        assert b"".join(chunk.data for chunk in chunks(stream, Limits())).decode() == text


@settings(max_examples=200)
@given(st.binary(max_size=400))
def test_making_bytes_plain_keeps_the_number_of_lines(raw: bytes) -> None:
    made = plain(raw)
    made.decode("utf-8")
    assert made.count(b"\n") == raw.count(b"\n")
    assert plain(made) == made
