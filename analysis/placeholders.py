"""The form of a redaction placeholder, for those who write, protect or recognise one."""

import re

PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9_]{1,24}:[0-9a-f]{4}\]")


def placeholder(kind: str, digits: str) -> str:
    """The text that stands where a secret stood."""
    return f"[redacted:{kind}:{digits}]"


def is_placeholder(text: str) -> bool:
    """Whether the whole text is one placeholder."""
    return text.startswith("[redacted:") and PLACEHOLDER.fullmatch(text) is not None
