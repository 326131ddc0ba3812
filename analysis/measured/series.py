"""A time series, and what its name says: the kind of signal, and which way is bad."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Samples:
    """One series, sorted by time, without NaN."""

    entity: str  # as the source names it, without a kind
    metric: str
    times: Floats  # epoch seconds
    values: Floats
    source: str = ""


# First match wins: what a name measures stands before what it is a measure of ("disk io latency" is about a disk).
_KINDS: Final = (
    ("other", r"read_?only"),  # a switch, no amount
    (
        "saturation",
        r"thrott|queue_?(depth|length|size)|backlog|pending|waiting|pool|connections|connected|threads|in_?flight|burst_?"
        r"balance|credit|lag|file_?desc|open_?fds|restarts|evict|saturat|pressure|load(1|5|15|_?avg)$|node_load",
    ),
    (
        "error",
        r"error|fail|5xx|4xx|fault|exception|availability|success|reject|dropped|timeout|abort|(^|_)up$|healthy|code_?5",
    ),
    (
        "disk",
        r"disk|filesystem|fs_|iops|(read|write)_?(latency|throughput)|storage|inode|volume_|blkio|iowait|io_time|ebs",
    ),
    ("latency", r"latency|duration|response_?time|request_?time|(^|_)rtt|delay|_p\d\d|seconds_bucket|elapsed"),
    ("cpu", r"cpu|processor|dbload|db_load"),
    ("memory", r"mem(_|$|%)|memory|heap|rss|swap|working_?set|oom"),
    ("network", r"network|(receive|transmit|rx|tx|sent|recv)_|packet|tcp_|retrans|bandwidth|conntrack"),
    ("traffic", r"request|rps|qps|throughput|calls|hits|invocation|transactions|(^|_)load$|messages|queries"),
)
_LESS_IS_BAD: Final = r"avail|success|free|remaining|idle|(^|_)up$|(?<!un)healthy|hit_?rat|balance|credit|ready"
_COUNTER: Final = re.compile(r"_(total|count|sum|bucket)$")
# What the kernel counts since its start, as the node exporter passes it on.
_KERNELS: Final = re.compile(r"^node_netstat_(?!.*curr)|^node_vmstat_(?!nr_)")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def bare(metric: str) -> str:
    """The metric's name without labels: what a mount point or a path is called says nothing of what is measured."""
    return metric.partition("{")[0]


def _plain(metric: str) -> str:
    return re.sub(r"[^a-z0-9%]+", "_", _CAMEL.sub("_", bare(metric)).lower())


@cache
def kind(metric: str) -> str:
    """latency | error | traffic | cpu | memory | disk | network | saturation | other, by the metric's name."""
    name = _plain(metric)
    return next((kind for kind, words in _KINDS if re.search(words, name)), "other")


@cache
def bad_direction(metric: str) -> int:
    """+1 where a rise is trouble, -1 where a fall is."""
    return -1 if re.search(_LESS_IS_BAD, _plain(metric)) else 1


def step_seconds(times: Floats) -> float | None:
    """The usual distance of two samples; None for fewer than two."""
    return float(np.median(np.diff(times))) if len(times) > 1 else None


def is_counter(metric: str, values: Floats) -> bool:
    """Whether it only counts up, resets aside. A gauge that happens to grow is none: the name must say so."""
    name = _plain(metric)
    sure = _KERNELS.search(name) is not None
    if len(values) < 3 or not (sure or _COUNTER.search(name)):
        return False
    steps = np.diff(values)
    resets = (steps < 0) & (values[1:] <= 0.1 * values[:-1])
    return bool(np.all((steps >= 0) | resets) and np.count_nonzero(steps > 0) >= (1 if sure else len(steps) / 4))


def as_rate(samples: Samples) -> Samples:
    """A counter's increase per second; a reset counts from zero."""
    steps = np.diff(samples.values)
    rises = np.where(steps < 0, samples.values[1:], steps)
    spans = np.maximum(np.diff(samples.times), 1e-9)
    return Samples(samples.entity, samples.metric, samples.times[1:], rises / spans, samples.source)
