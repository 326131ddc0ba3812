import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from analysis.text import clip, clip_wrapped, decode, escape_markdown, looks_binary, strip_control


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_text_is_decoded_whatever_its_encoding(encoding: str) -> None:
    text = "2026-08-18 ERROR größer\nnext line\n"
    raw = text.encode(encoding)
    assert decode(raw) == text
    assert not looks_binary(raw)


def test_utf16_with_a_big_endian_mark_is_decoded() -> None:
    assert decode(b"\xfe\xff" + "ab".encode("utf-16-be")) == "ab"


def test_invalid_bytes_are_replaced() -> None:
    assert decode(b"a\xff\xfeb") == "a\ufffd\ufffdb"


@pytest.mark.parametrize("raw", [b"\x7fELF\x02\x01\x01\0\0\0", bytes(range(256)) * 8, b"\x1f\x8b\x08\0" + b"\0" * 20])
def test_binary_bytes_are_recognised(raw: bytes) -> None:
    assert looks_binary(raw)


@pytest.mark.parametrize("raw", [b"", b"plain\r\n", "漢字かな".encode(), b"\x1b[31mred\x1b[0m text"])
def test_text_bytes_are_not_binary(raw: bytes) -> None:
    assert not looks_binary(raw)


def test_escapes_and_control_characters_go_and_tabs_and_line_ends_stay() -> None:
    assert strip_control("\x1b[1;31mred\x1b[0m\ta\x00b\x07\r\nc\x1b]0;title\x07d") == "red\tab\ncd"


HOSTILE = [
    "<script>alert(1)</script>",
    "[click](javascript:alert(1))",
    "![x](http://evil.example/x.png)",
    "# heading",
    "1. list",
    "> quote",
    "- item",
    "=====",
    "```\ncode",
    "a | b | c",
    "&lt;b&gt;",
    "\u202egnp.exe",
    "*bold* _it_ ~~del~~ `code`",
    "www.evil.example",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_an_escaped_text_is_markup(text: str) -> None:
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(escape_markdown(text))
    assert html.startswith("<p>")
    assert "<" not in html.removeprefix("<p>").removesuffix("</p>\n")
    assert "\u202e" not in html


@given(st.text(alphabet="ab1 \n<>[]()*_`#-=|!~.:&\\\t+>", max_size=80))
@settings(max_examples=150)
def test_an_escaped_line_renders_to_the_same_words(text: str) -> None:
    line = text.replace("\n", " ").strip()
    tokens = MarkdownIt("commonmark").parse(escape_markdown(line))
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}


def test_a_clipped_text_ends_at_a_word() -> None:
    assert clip("the quick brown fox", 12) == "the quick…"
    assert clip("short", 12) == "short"
    assert clip("x" * 50, 10) == "x" * 9 + "…"


@given(st.text(max_size=100), st.integers(0, 60))
@settings(max_examples=100)
def test_a_clipped_text_is_never_longer_than_asked(text: str, n: int) -> None:
    assert len(clip(text, n)) <= n or len(text) <= n


def test_of_a_wrapped_error_both_ends_stay() -> None:
    text = (
        'Failed to pull image "cache:1": failed to unpack image "registry.example/cache:1": failed to copy: reader: '
        "failed open: unexpected status code: 429 Too Many Requests"
    )
    told = clip_wrapped(text, 90)
    assert len(told) <= 90
    assert told.startswith("Failed to pull image") and told.endswith("429 Too Many Requests")
    plain = "a sentence without layers " * 6
    assert clip_wrapped(plain, 90) == clip(plain, 90)
    assert clip_wrapped(text, 400) == text
