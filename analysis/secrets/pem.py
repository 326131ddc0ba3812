"""Finds the lines of private keys in PEM form, whole, truncated or with a prefix before each line."""

import re

import re2

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BODY = re.compile(  # alone on its line; after a stamp or a container's name; or long, after anything
    r"^(?:\s*|\S*\d\d:\d\d:\d\d\S*\s+|\S+\s+\|\s*|.*[\s|>](?=[A-Za-z0-9+/]{16}))"
    r"((?:[A-Za-z0-9+/]{1,400}={0,2})|(?:Proc-Type|DEK-Info|Comment|Version): [^\n]*)\s*$"
)
_LONG = re.compile(r"(?:^|[\s|>])([A-Za-z0-9+/]{16,400}={0,2})\s*$")
_BARE = re2.compile(r"(?m)(?:^|[\s|>])([A-Za-z0-9+/]{64})\s*$")  # the width of PEM; a sha256 has no capitals
_OTHER_BEGIN = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}(?:CERTIFICATE|PUBLIC KEY|REQUEST|CRL|PARAMETERS|MESSAGE|SIGNATURE)"
)
_OTHER_END = "-----END "
_INLINE = re.compile(r"[^\"'\n]*")

Span = tuple[int, int]


def may_hold_key(text: str) -> bool:
    """A fast answer for the many texts without any key material."""
    return "PRIVATE KEY" in text or _BARE.search(text) is not None


def key_spans(text: str) -> list[Span]:
    """The spans that hold key material, none of which crosses a line."""
    if not may_hold_key(text):
        return []
    lines = text.split("\n")
    starts = _starts(lines)
    spans: list[Span] = []
    inside = public = False
    for number, line in enumerate(lines):
        end, begin = _END.search(line), _BEGIN.search(line)
        if begin:
            found = _same_line(line, begin.end())
            inside = found[1] == len(line) and not _END.search(line, begin.end())
        elif end:
            found = _before_end(line, end.start())
            if not inside:
                spans.extend(_backwards(lines, starts, number))
            inside = False
        elif inside:
            found, inside = _body(line)
        else:
            public = _OTHER_END not in line and (public or _OTHER_BEGIN.search(line) is not None)
            found = (0, 0) if public else _bare(line)
            inside = found[1] > 0
        if found[1] > found[0]:
            spans.append((starts[number] + found[0], starts[number] + found[1]))
    return sorted(spans)


def _starts(lines: list[str]) -> list[int]:
    starts, position = [], 0
    for line in lines:
        starts.append(position)
        position += len(line) + 1
    return starts


def _same_line(line: str, start: int) -> Span:
    """What follows BEGIN on its own line: a key with escaped line ends, up to END, a quote or the line's end."""
    end = _END.search(line, start)
    stop = end.start() if end else _quote_or_end(line, start)
    return start, stop


def _quote_or_end(line: str, start: int) -> int:
    match = _INLINE.match(line, start)
    return match.end() if match else len(line)


def _before_end(line: str, stop: int) -> Span:
    """Key material that stands before END on the same line."""
    head = line[:stop].rstrip("\\nr")
    border = max(head.rfind(mark) for mark in " \t\"'") + 1
    return border, stop


def _body(line: str) -> tuple[Span, bool]:
    """The key material of a line after BEGIN, and whether the key goes on."""
    match = _BODY.search(line)
    if match:
        return match.span(1), True
    going_on = not line.strip() or line.rstrip().endswith("]")
    return (0, 0), going_on


def _bare(line: str) -> Span:
    """A full line from the middle of a key, of which a source returned neither beginning nor end."""
    match = _BARE.search(line) if len(line) >= 64 else None
    if not match:
        return 0, 0
    body = match.group(1)
    generated = body.lower() != body != body.upper() and any(char.isdigit() for char in body)
    return match.span(1) if generated else (0, 0)


def _backwards(lines: list[str], starts: list[int], number: int) -> list[Span]:
    """The lines before an END whose BEGIN was cut off."""
    spans = []
    for at in range(number - 1, -1, -1):
        match = _LONG.search(lines[at]) or (_BODY.search(lines[at]) if at == number - 1 else None)
        if not match:
            break
        spans.append((starts[at] + match.start(1), starts[at] + match.end(1)))
    return spans
