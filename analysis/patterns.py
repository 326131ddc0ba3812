"""Compiled RE2 patterns, each compiled once, when it is first used."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import re2


class BadPattern(ValueError):
    """The text is no RE2 pattern; the message says where."""


@lru_cache(maxsize=4096)
def compiled(pattern: str, ignore_case: bool = False) -> Any:
    """The pattern, ready to search. Raises BadPattern."""
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(pattern, options)
    except re2.error as exc:
        reason = exc.args[0] if exc.args else exc
        raise BadPattern(f"not RE2: {reason.decode() if isinstance(reason, bytes) else reason}: {pattern}") from exc


def fits_any(patterns: Iterable[str], name: str) -> bool:
    """Whether one of the patterns is for the whole name, in upper or lower case. Raises BadPattern."""
    return any(compiled(f"^(?:{pattern})$", ignore_case=True).search(name) for pattern in patterns)


def groups(pattern: str) -> tuple[str, ...]:
    """The names of its captures, in order."""
    return tuple(compiled(pattern).groupindex)
