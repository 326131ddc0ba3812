"""The markdown that we write as plain text, for pipes and files that show no markup."""

import re
from html import unescape
from typing import Final

_MARKUP: Final = re.compile(
    r"(?P<ticks>`+)(?P<pad> ?)(?P<code>.+?)(?P=pad)(?P=ticks)(?!`)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])|(?P<entity>&(?:#\d+|[a-z]+);)"
    r"|(?P<bold>\*\*)|^(?P<heading>#{1,6} )|(?P<broken>  )$",
    re.MULTILINE,
)


def plain(text: str) -> str:
    """The text as it reads, without marks of markup; code stays as it is."""
    return _MARKUP.sub(_read, text)


def _read(match: re.Match[str]) -> str:
    if match["code"] is not None:
        return match["code"]
    if match["entity"] is not None:
        return unescape(match["entity"])
    return match["escaped"] or ""
