"""A silence: alerts that a person asked not to hear of for a while."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Operator = Literal["=", "!=", "=~", "!~"]


@dataclass(frozen=True)
class Matcher:
    """A condition on one label; `alertname`, `source` and `severity` are there for every alert."""

    label: str
    operator: Operator
    value: str  # a whole value, or an RE2 that matches the whole value


@dataclass(frozen=True)
class Silence:
    """Matchers that must all hold, from one moment to another."""

    id: int
    matchers: tuple[Matcher, ...]
    starts_at: datetime  # aware UTC
    ends_at: datetime
    comment: str = ""
