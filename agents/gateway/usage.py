"""What a server says it counted: believed where it can be true, and used to correct our own estimate."""

from collections.abc import Mapping
from typing import Any, Final

_COUNTS: Final = ("prompt_tokens", "completion_tokens")
_LEAST: Final = 0.5  # below, it is no matter of tokenizers: the server did not read all
_MOST: Final = 3.0  # an English tokenizer on Chinese
_WEIGHT: Final = 0.3  # of the newest call
_ENOUGH_TO_LEARN: Final = 50  # tokens
_IMPLAUSIBLE: Final = 0.4  # of our estimate: no tokenizer is so much better than we think
_ENOUGH: Final = 2_000  # tokens; a shorter prompt proves nothing


def usage_of(raw: object) -> dict[str, Any] | None:
    """The usage in an answer, its counts made sure of; None where there is none."""
    if not isinstance(raw, Mapping):
        return None
    counts = {name: _count(raw.get(name)) for name in _COUNTS}
    details = {name: value for name, value in raw.items() if name.endswith("_details") and isinstance(value, Mapping)}
    total = {"total_tokens": sum(counts.values())}
    return {**details, **counts, **total} if any(counts.values()) else None


def largest(found: list[Mapping[str, Any]]) -> dict[str, int]:
    """Usage that was sent several times grows from one to the next: the largest counts, never the sum."""
    return {name: max((_count(usage.get(name)) for usage in found), default=0) for name in _COUNTS}


def corrected(correction: float, estimated: int, counted: int) -> float:
    """The correction after a call; `estimated` is what we said with the correction of before."""
    bare = estimated / correction
    if bare < _ENOUGH_TO_LEARN or counted / bare < _LEAST:
        return correction
    return (1 - _WEIGHT) * correction + _WEIGHT * min(counted / bare, _MOST)


def is_implausible(estimated: int, counted: int) -> bool:
    """Whether the server cannot have read the whole prompt: some drop its beginning and say nothing."""
    return estimated >= _ENOUGH and 0 < counted < _IMPLAUSIBLE * estimated


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0
