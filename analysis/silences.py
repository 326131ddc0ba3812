"""Which silence an alert falls under, and how a person writes matchers down."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, cast

import re2

from domain.alert import Alert
from domain.silence import Matcher, Operator, Silence

_QUIET: Final = re2.Options()
_QUIET.log_errors = False  # the person hears of it from us
_WRITTEN: Final = re.compile(r"\s*([^\s=!~]+)\s*(=~|!~|!=|=)\s*(.*?)\s*", re.DOTALL)


def matcher(text: str) -> Matcher:
    """`severity=warning`, `alertname=~"Disk.*"`. Raises ValueError, one line that says what is wrong."""
    written = _WRITTEN.fullmatch(text)
    if written is None:
        raise ValueError(f"{text!r} is no matcher: write label=value, label!=value, label=~pattern or label!~pattern")
    label, operator, value = written.groups()
    if len(value) >= 2 and value[0] == value[-1] == '"':
        value = value[1:-1]
    if operator in ("=~", "!~"):
        try:
            _pattern(value)
        except re2.error as exc:
            raise ValueError(f"{text!r}: {value!r} is no RE2: {_reason(exc)}") from exc
    return Matcher(label, cast(Operator, operator), value)


def written(one: Matcher) -> str:
    """The matcher as a person writes it."""
    return f'{one.label}{one.operator}"{one.value}"'


def silenced(alert: Alert, silences: Iterable[Silence]) -> Silence | None:
    """The first silence whose matchers all hold for the alert."""
    labels = {**alert.labels, "alertname": alert.name, "source": alert.source, "severity": alert.severity}
    return next((one for one in silences if all(_holds(each, labels) for each in one.matchers)), None)


def _reason(exc: Exception) -> str:
    told = exc.args[0] if exc.args else exc
    return told.decode(errors="replace") if isinstance(told, bytes) else str(told)


def _holds(one: Matcher, labels: dict[str, str]) -> bool:
    value = labels.get(one.label, "")
    equal = _pattern(one.value).fullmatch(value) is not None if "~" in one.operator else value == one.value
    return equal is not one.operator.startswith("!")


@lru_cache(maxsize=1000)
def _pattern(value: str) -> Any:
    return re2.compile(value, _QUIET)
