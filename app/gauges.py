"""Our numbers as Prometheus wants them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from store.jobs import Counts
from store.numbers import Histogram, Numbers

BOUNDS: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0)  # seconds of an investigation
Key = TypeVar("Key", bound=tuple[str, ...])
_STATUSES: Final = ("open", "investigating", "closed", "failed")  # shown at zero too: alerts need a series


@dataclass(frozen=True, eq=False)
class Gauges(Collector):
    """One look at the database; without numbers it was away."""

    numbers: Numbers | None = None
    queue: Counts | None = None

    def collect(self) -> Iterable[Metric]:
        """All families."""
        up = self.numbers is not None
        yield _gauge("fishbone_database_up", "Whether the database answers.", {(): float(up)}, ())
        if self.queue is not None:
            yield from _of_queue(self.queue)
        if self.numbers is not None:
            yield from _of_numbers(self.numbers)


def _of_queue(queue: Counts) -> Iterator[Metric]:
    jobs = {("waiting",): queue.waiting, ("running",): queue.running}
    yield _gauge("fishbone_jobs", "Jobs by state.", jobs, ("state",))
    yield _gauge("fishbone_oldest_job_seconds", "How long the first waiting job waits.", {(): queue.oldest_seconds}, ())
    yield _gauge("fishbone_poison_incidents", "Incidents set aside: they crashed workers.", {(): queue.set_aside}, ())
    yield _gauge("fishbone_workers", "Workers heard of within a lease.", {(): queue.workers}, ())


def _of_numbers(found: Numbers) -> Iterator[Metric]:
    statuses = {(status,): found.incidents.get(status, 0) for status in _STATUSES}
    yield _gauge("fishbone_incidents", "Incidents by status.", statuses, ("status",))
    yield _counter("fishbone_alerts", "Alerts by what became of them.", found.alerts, ("source", "account"))
    ended = ("status", "verdict")
    yield _counter("fishbone_investigations", "Investigations by their end.", found.investigations, ended)
    yield _histogram("fishbone_investigation_seconds", "From the start of a run to its report.", found.seconds)
    yield _counter("fishbone_tool_calls", "Tool calls by status.", found.calls, ("tool", "status"))
    yield _counter("fishbone_tool_call_seconds", "Time in tool calls.", found.call_seconds, ("tool", "status"))
    told = ("channel", "state")
    yield _gauge("fishbone_notifications", "Notifications by state.", found.notifications, told)


def _gauge(name: str, help: str, values: Mapping[Key, float], labels: tuple[str, ...]) -> Metric:
    family = GaugeMetricFamily(name, help, labels=labels)
    for key, value in values.items():
        family.add_metric(key, value)
    return family


def _counter(name: str, help: str, values: Mapping[Key, float], labels: tuple[str, ...]) -> Metric:
    family = CounterMetricFamily(name, help, labels=labels)
    for key, value in values.items():
        family.add_metric(key, value)
    return family


def _histogram(name: str, help: str, found: Histogram) -> Metric:
    buckets = [(str(bound), float(count)) for bound, count in zip(BOUNDS, found.buckets, strict=True)]
    return HistogramMetricFamily(name, help, buckets=[*buckets, ("+Inf", float(found.count))], sum_value=found.sum)
