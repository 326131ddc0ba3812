"""Whether a change matters in absolute terms: ten times next to nothing is still nothing."""

import re
from typing import Final

from domain.results import SeriesSummary

PERCENT: Final = 20.0  # points of a percentage of processor time: less busy than that nobody notices
FULL: Final = 80.0  # percent, over a minute: many of its tenths of a second have nothing left, and work waits in them
BUSY: Final = 50.0  # percent: from here on work begins to wait for a processor
CORE: Final = 0.01  # of a processor is a percent: what counters of processor seconds rise by in a second
LOAD: Final = 1.0  # one more task that wants to run
COUNT: Final = 3.0  # clients, threads, files, waiting requests: one or two come and go
BYTES: Final = 16.0 * 2**20  # what a runtime takes and gives back all the time
SECONDS: Final = 0.01  # the least that a caller of a service can feel
RATIO: Final = 1.5  # of traffic: within it lies the noise of any minute
_SECONDS: Final = {"_ms": 0.001, "milliseconds": 0.001, "_s": 1.0, "seconds": 1.0}
_PERCENT: Final = re.compile(r"pct|percent|%", re.IGNORECASE)
_SHARE: Final = re.compile(r"usage|utili[sz]ation", re.IGNORECASE)  # of one or of a hundred, as the values tell
_CPU_SECONDS: Final = re.compile(r"cpu\w*seconds", re.IGNORECASE)
_NODE_CPU: Final = re.compile(r"^node_cpu_seconds", re.IGNORECASE)
_LOAD: Final = re.compile(r"load(?:1|5|15)$", re.IGNORECASE)
_COUNT: Final = re.compile(
    r"client|connection|connected|threads|fds|file_?desc|queue|pending|waiting|in_?flight|backlog", re.IGNORECASE
)
_NO_COUNT: Final = re.compile(r"ratio|rate|percent|pct|usage|utili[sz]ation|seconds|_ms$|bytes|age", re.IGNORECASE)
_BYTES: Final = re.compile(r"bytes|used_memory$|_rss$", re.IGNORECASE)


def felt(one: SeriesSummary) -> bool:
    """Whether anyone could feel the change, as far as the metric's name tells its unit; where it does not, True."""
    before, after = one.median_before, one.median_after
    if before is None or after is None:
        return False
    if one.kind == "traffic":
        return after >= RATIO * before or before >= RATIO * after
    if _NODE_CPU.search(one.metric) and _has_room(one.metric, after):
        return False
    least = noise(one)
    return least is None or abs(after - before) >= least


def _has_room(metric: str, share: float) -> bool:
    """Whether less than half of a machine's processor is busy by what one of its modes takes: nothing waits for it."""
    busy = 1.0 - share if "idle" in metric else share
    return busy < BUSY * CORE


def is_full(one: SeriesSummary) -> bool:
    """Whether it is a share of processor time that rose to where work waits for a processor most of the time.

    Seconds of a processor are told of how many nobody knows: of those none is full.
    """
    now = one.median_after or 0.0
    return _is_percent(one) and now >= FULL and now > one.mean


def milliseconds(one: SeriesSummary) -> float:
    """How many milliseconds one of the series' unit is, as far as its name tells; 0 where it does not."""
    return 1000.0 * (_unit_seconds(one) or 0.0)


def _unit_seconds(one: SeriesSummary) -> float | None:
    return next((unit for ending, unit in _SECONDS.items() if one.metric.lower().endswith(ending)), None)


def is_idle(one: SeriesSummary) -> bool:
    """Whether it is a share of processor time that is still low after it rose."""
    now = one.median_after or 0.0
    return (_is_percent(one) and now < BUSY) or (_is_cpu_seconds(one) and now < BUSY * CORE)


def _is_percent(one: SeriesSummary) -> bool:
    name = one.metric
    told = _PERCENT.search(name) is not None or (_SHARE.search(name) is not None and one.max > 1.5)
    return one.kind == "cpu" and told


def _is_cpu_seconds(one: SeriesSummary) -> bool:
    return one.kind == "cpu" and _CPU_SECONDS.search(one.metric) is not None


def noise(one: SeriesSummary) -> float | None:
    """What a series of this kind and unit moves by without meaning anything, in its own unit; None if not known."""
    name = one.metric
    if _is_percent(one):
        return PERCENT
    if _is_cpu_seconds(one):
        return PERCENT * CORE
    if one.kind == "saturation" and _LOAD.search(name):
        return LOAD
    if one.kind == "saturation" and _COUNT.search(name) and not _NO_COUNT.search(name):
        return COUNT
    if one.kind == "memory" and _BYTES.search(name):
        return BYTES
    unit = _unit_seconds(one)
    return SECONDS / unit if one.kind == "latency" and unit else None
