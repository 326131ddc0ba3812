"""Metrics of a Prometheus: what fits the limits is read, most telling first; the rest is named as left out."""

import re
from collections.abc import Iterator
from dataclasses import replace
from threading import Lock
from time import monotonic
from typing import Final

import numpy as np

from analysis.measured.series import Samples, as_rate, is_counter
from domain.errors import InvalidToolInput, ToolTimeout, ToolUnavailable
from mcp_servers.live.bounded import each_within
from mcp_servers.live.labels import entity_of, metric_of
from mcp_servers.live.prometheus import MOST_POINTS, Prometheus, Series, step_for
from mcp_servers.live.watch import Watch
from mcp_servers.metrics import Gathered

MOST_SERIES: Final = 2000
MOST_OF_ONE: Final = 200  # series of one metric; more are a dimension nobody looks at one by one
FRESH_SECONDS: Final = 10.0
_AT_ONCE: Final = 300  # series of one query
_SECONDS: Final = 9.0  # for all range queries together
_DULL: Final = re.compile(
    r"^(?:go_|promhttp_|prometheus_|alertmanager_|scrape_|net_conntrack_dialer|process_virtual|node_scrape|node_exporter)"
    r"|_(?:bucket|created|info)$|^ALERTS"
)
_NAME: Final = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_FAILED: Final = (ToolUnavailable, ToolTimeout, InvalidToolInput)


class LiveMetrics:
    """Series of the window; counters come as rates per second."""

    def __init__(self, prometheus: Prometheus | None, watch: Watch) -> None:
        self._prometheus, self._watch = prometheus, watch
        self._known: dict[str, tuple[float, Gathered]] = {}  # by metric asked for
        self._lock = Lock()

    def gather(self, entity: str = "", metric: str = "") -> Gathered:  # noqa: ARG002 - labels map to it later
        """All series that fit the limits, those of the metric where one is asked for."""
        if self._prometheus is None:
            return Gathered((), "no Prometheus is named in the settings (prometheus_url)")
        with self._lock:
            made, known = self._known.get(metric, (0.0, None))
            if known is None or (self._watch.window is None and monotonic() - made > FRESH_SECONDS):
                known = self._read(self._prometheus, metric)
                if not known.problems:  # what failed is asked again by the next call
                    self._known[metric] = monotonic(), known
            return known

    def _read(self, server: Prometheus, metric: str) -> Gathered:
        problems: list[str] = []
        try:
            batches = _batches(_counts(server, self._watch, metric, problems), problems)
        except _FAILED as exc:
            return Gathered((), server.name, problems=(str(exc),))
        start, end = self._watch.start, self._watch.end
        step = step_for(start, end, MOST_POINTS, _interval(server))

        def read(names: list[str]) -> list[Series]:
            try:
                return server.range(f'{{__name__=~"{"|".join(names)}"}}', start, end, step)
            except InvalidToolInput as exc:
                raise ToolUnavailable(str(exc)) from exc

        answers = each_within(_SECONDS, batches, lambda names: f"{server.name}: {names[0]} ...", read, problems)
        found = [self._samples(one, server.name) for answer in answers for one in answer if len(one.points) > 1]
        ordered = sorted(found, key=lambda one: (one.entity, one.metric))
        return Gathered(tuple(_distinct(ordered)), f"{server.name}, step {step} s", problems=tuple(problems))

    def _samples(self, series: Series, source: str) -> Samples:
        of = entity_of(series.labels, self._watch.host)
        times, values = (np.array(column, dtype=float) for column in zip(*series.points, strict=True))
        samples = Samples(of, series.labels.get("__name__", ""), times, values, source)
        if is_counter(samples.metric, values):
            samples = as_rate(samples)
        return replace(samples, metric=metric_of(series.labels, of))


def _interval(server: Prometheus) -> int | None:
    """How often targets are scraped; None of a server that does not tell (others than Prometheus need not)."""
    try:
        return server.interval()
    except (*_FAILED, LookupError):
        return None


def _counts(server: Prometheus, watch: Watch, metric: str, problems: list[str]) -> dict[str, int]:
    """How many series each metric has; the metrics that rules speak of first, then those with few series."""
    matcher = f'{{__name__=~".*(?i:{re.escape(metric.partition("{")[0])}).*"}}' if metric else '{__name__!=""}'
    found = {
        one.labels["__name__"]: int(one.points[0][1])
        for one in server.instant(_by_name(matcher), watch.end)
        if one.points
    }
    if metric:
        return found
    wanted = _of_rules(server, problems)
    kept = {name: count for name, count in found.items() if name in wanted or not _DULL.search(name)}
    return dict(sorted(kept.items(), key=lambda pair: (pair[0] not in wanted, pair[1], pair[0])))


def _by_name(matcher: str) -> str:
    return f"count by (__name__) ({matcher})"


def _of_rules(server: Prometheus, problems: list[str]) -> set[str]:
    """The metrics that rules ask about: somebody found them worth an alert."""
    try:
        return {name for rule in server.rules() for name in _NAME.findall(str(rule.get("query", "")))}
    except _FAILED as exc:
        problems.append(f"rules: {exc}")
        return set()


def _batches(counts: dict[str, int], problems: list[str]) -> list[list[str]]:
    """Names in groups of about as many series as one query should bring."""
    batches: list[list[str]] = []
    total, inside, left_out = 0, _AT_ONCE, []
    for name, count in counts.items():
        if count > MOST_OF_ONE or total + count > MOST_SERIES:
            left_out.append(name)
            continue
        if inside + count > _AT_ONCE:
            batches.append([])
            inside = 0
        batches[-1].append(name)
        total, inside = total + count, inside + count
    if left_out:
        shown = ", ".join(left_out[:5])
        problems.append(f"metrics: {len(left_out)} metrics have too many series and were left out, such as {shown}")
    return batches


def _distinct(series: list[Samples]) -> Iterator[Samples]:
    """Of two series that look the same by name the first: they differ in a label nobody asked for."""
    seen: set[tuple[str, str]] = set()
    for one in series:
        if (one.entity, one.metric) not in seen:
            seen.add((one.entity, one.metric))
            yield one
