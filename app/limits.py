"""How much one sender may post: a bucket that fills again at its rate."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic


@dataclass
class Bucket:
    """So many at once, and so many a second."""

    rate: float
    burst: float
    clock: Callable[[], float] = monotonic
    _left: float = field(init=False)
    _at: float = field(init=False)

    def __post_init__(self) -> None:
        self._left, self._at = self.burst, self.clock()

    def take(self) -> float:
        """0 when one more is allowed, else the seconds until it is."""
        now = self.clock()
        self._left = min(self.burst, self._left + (now - self._at) * self.rate)
        self._at = now
        if self._left >= 1:
            self._left -= 1
            return 0.0
        return (1 - self._left) / self.rate
