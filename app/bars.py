"""Bars that a run of `fishbone eval` must not be worse than: `KEY=VALUE`.

Of a figure that is better the higher it is VALUE is the least that is let through; of one that is better the lower it
is (a rate of wrong answers, seconds) the most.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.grades import LESS_IS_BETTER, figures
from domain.errors import BadConfiguration


@dataclass(frozen=True)
class Bar:
    """One figure and what it must keep to."""

    key: str
    value: float

    @property
    def is_upper(self) -> bool:
        """Whether the value is the most that is let through."""
        return self.key in LESS_IS_BETTER

    def missed(self, found: float) -> bool:
        """Whether a figure is on the wrong side."""
        return found > self.value if self.is_upper else found < self.value


def bar(text: str) -> Bar:
    """KEY=VALUE. Raises BadConfiguration with the keys there are."""
    key, _, value = text.partition("=")
    known = figures([])
    if key not in known:
        raise BadConfiguration(f"--bar {text}: unknown key; the keys are {', '.join(known)}")
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadConfiguration(f"--bar {text}: {value!r} is no number")
    return Bar(key, number)


def missed(bars: Sequence[Bar], found: dict[str, float]) -> Iterator[str]:
    """One line for each bar that the figures do not keep to."""
    for each in bars:
        if each.missed(found[each.key]):
            side = "most" if each.is_upper else "least"
            yield f"{each.key} is {found[each.key]:g}, the bar is {each.value:g} at {side}"
