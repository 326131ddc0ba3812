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
_KEY_STATES: Final = ("free", "resting", "disabled")


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
    jobs = {(name, "waiting"): line.waiting for name, line in queue.lines.items()}
    jobs |= {(name, "running"): line.running for name, line in queue.lines.items()}
    yield _gauge("fishbone_jobs", "Jobs by state.", jobs, ("queue", "state"))
    oldest = {(name,): line.oldest_seconds for name, line in queue.lines.items()}
    yield _gauge("fishbone_oldest_job_seconds", "How long the first waiting job waits.", oldest, ("queue",))
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
    yield from _of_models(found)


def _of_models(found: Numbers) -> Iterator[Metric]:
    """Sums over all processes, as the log has them; a failure of '' is none."""
    labels, models = ("tier", "model", "failure"), found.models
    calls = {key: calls.count for key, calls in models.items()}
    yield _counter("fishbone_model_calls", "Model calls by failure class.", calls, labels)
    requests = {key: calls.attempts for key, calls in models.items()}
    yield _counter("fishbone_model_requests", "HTTP requests of model calls.", requests, labels)
    seconds = {key: calls.seconds for key, calls in models.items()}
    yield _counter("fishbone_model_call_seconds", "Time in model calls.", seconds, labels)
    prompt = {(*key, "prompt"): calls.prompt_tokens for key, calls in models.items()}
    answers = {(*key, "completion"): calls.completion_tokens for key, calls in models.items()}
    yield _counter("fishbone_model_tokens", "Tokens of model calls.", {**prompt, **answers}, (*labels, "kind"))
    cost = {key: calls.cost for key, calls in models.items()}
    yield _counter("fishbone_model_cost", "Cost of model calls, by the prices of the settings.", cost, labels)
    keys = {(state,): found.keys.get(state, 0) for state in _KEY_STATES}
    yield _gauge("fishbone_model_keys", "API keys of models by state.", keys, ("state",))


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
