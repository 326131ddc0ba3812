"""Lines that tell how a request ended: of proxies, servers and programs. They say that it failed, not why."""

import re
from typing import Final

_LONGEST: Final = 4096  # characters in which the status is looked for: it stands behind the path
_REQUEST: Final = re.compile(
    r"\b(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (?:[^\s\"\\]|\\.)+(?: HTTP/[\d.]+)?\"?,? "
    r"(?:status[=:] ?)?([1-5]\d\d)\b"
)


def request_of(line: str) -> tuple[str, str] | None:
    """Method and status, where the line tells of one request that has ended."""
    found = _REQUEST.search(line, 0, _LONGEST) if "/" in line else None
    return (found[1], found[2]) if found else None
