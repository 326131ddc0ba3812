"""Chunks of a text: what is in them is the text without control characters, whatever their size."""

import io

import pytest

from bundle.chunks import chunks, plain
from bundle.limits import Limits


@pytest.mark.parametrize("size", [16, 64, 1 << 18])
def test_lines_and_their_numbers_are_the_same_however_the_text_is_cut(size: int) -> None:
    lines = [f"line {n}\twith a tab, \u00e9 and \x1b[31mcolour\x1b[0m" for n in range(50)]
    found = list(chunks(io.BytesIO("\n".join(lines).encode()), Limits(), size))
    text = b"".join(chunk.data for chunk in found).decode()
    assert text.split("\n") == [f"line {n}\twith a tab, \u00e9 and colour" for n in range(50)]
    assert [chunk.line for chunk in found] == [
        1 + sum(before.data.count(b"\n") for before in found[:n]) for n in range(len(found))
    ]


@pytest.mark.parametrize("byte", [*range(32), 127])
def test_every_control_character_but_tab_and_line_end_is_taken_out(byte: int) -> None:
    data = b"a" + bytes([byte]) + b"b\tc\n"
    assert plain(data) == (data if chr(byte) in "\t\n" else b"ab\tc\n")
