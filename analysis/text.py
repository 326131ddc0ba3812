"""Turns raw bytes into text that is safe to search, to show and to write into a report."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE

_WRAPPED = 4  # clauses that end in a colon: each layer of a program put one before what it was told
_PROBE = 4096  # bytes looked at to tell the encoding
_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\|$)|[PX^_][^\x1b\n]*(?:\x1b\\|$)|[@-Z\\-_])"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_BIDI = re.compile(r"[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_ACTIVE = re.compile(r"([\\`*_{}\[\]()#+!|~$])|^(\s*)([->=]|\d+[.)])(?=\s|$|[->=])", re.MULTILINE)
_SCHEME = re.compile(r"\b(https?|ftp|javascript|data|mailto|www)(:|\.)", re.IGNORECASE)


def decode(raw: bytes) -> str:
    """The text of a file: UTF-8 or UTF-16, recognised by mark or by shape; what is invalid becomes U+FFFD."""
    if raw.startswith(BOM_UTF8):
        return raw[3:].decode("utf-8", "replace")
    if raw.startswith(BOM_UTF16_LE):
        return raw[2:].decode("utf-16-le", "replace")
    if raw.startswith(BOM_UTF16_BE):
        return raw[2:].decode("utf-16-be", "replace")
    return raw.decode(_utf16_by_shape(raw) or "utf-8", "replace")


def looks_binary(raw: bytes) -> bool:
    """Whether the bytes are no text: zero bytes that are not UTF-16, or many control bytes."""
    probe = raw[:_PROBE]
    if not probe or probe.startswith((BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE)) or _utf16_by_shape(raw):
        return False
    if b"\0" in probe:
        return True
    control = sum(byte < 32 and byte not in b"\t\n\r\f\b\x1b" for byte in probe)
    return control * 10 > len(probe) or _mostly_invalid(probe)


def strip_control(text: str) -> str:
    """The text without ANSI escapes and control characters; tabs and line ends stay."""
    if text.isprintable():
        return text
    return _CONTROL.sub("", _ANSI.sub("", text))


def escape_markdown(text: str) -> str:
    """The text as plain words in a markdown report: no HTML, markup, links, control or direction marks."""
    plain = _BIDI.sub("", strip_control(text))
    plain = _ACTIVE.sub(_escaped, plain)
    plain = plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SCHEME.sub(lambda m: m[1] + ("&#58;" if m[2] == ":" else "&#46;"), plain)


def clip(text: str, n: int) -> str:
    """The first n characters at most, cut at a word border and ended by an ellipsis."""
    if len(text) <= n:
        return text
    if n < 2:
        return "…"[:n]
    head = text[: n - 1]
    if not text[n - 1].isspace():
        border = max(head.rfind(" "), head.rfind("\n"), head.rfind("\t"))
        head = head[:border] if border > n // 2 else head
    return head.rstrip() + "…"


def is_wrapped(text: str) -> bool:
    """Whether it is an error that several layers of a program handed on, each with its own words before it."""
    return text.count(": ") >= _WRAPPED


def clip_wrapped(text: str, n: int) -> str:
    """n characters at most: of a wrapped error from both its ends, since it begins with what failed and ends with why.

    Anything else is clipped at its end.
    """
    if len(text) <= n or not is_wrapped(text):
        return clip(text, n)
    head = clip(text, n * 3 // 5)
    tail = text[-(n - len(head) - 1) :]
    border = tail.find(" ")
    return f"{head} {tail[border + 1 :] if 0 <= border < len(tail) // 2 else tail}"


def _escaped(match: re.Match[str]) -> str:
    if match[1]:
        return "\\" + match[1]
    mark = match[3]
    return match[2] + (mark[:-1] + "\\" + mark[-1])


def _utf16_by_shape(raw: bytes) -> str | None:
    """UTF-16 without a mark: mostly Latin text has a zero in every other byte."""
    probe = raw[: _PROBE - _PROBE % 2]
    if len(probe) < 4 or b"\0" not in probe:
        return None
    even, odd = probe[0::2].count(0), probe[1::2].count(0)
    half = len(probe) // 2
    if odd > half * 0.6 and even < half * 0.05:
        return "utf-16-le"
    if even > half * 0.6 and odd < half * 0.05:
        return "utf-16-be"
    return None


def _mostly_invalid(probe: bytes) -> bool:
    wrong = probe.decode("utf-8", "replace").count("\ufffd")
    return wrong * 3 > len(probe)
