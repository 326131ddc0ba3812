"""Metrics of a bundle: metrics/*.csv as a long table of timestamp, entity, metric, value."""

from collections import defaultdict
from math import isfinite
from threading import Lock

import numpy as np

from analysis.measured.series import Samples
from bundle.bundle import Bundle
from mcp_servers.metrics import Gathered
from mcp_servers.recorded.rows import Problems, Times, clock_of, matching, rows

_COLUMNS = ("timestamp", "entity", "metric", "value")
_Key = tuple[str, str, str]  # entity, metric, file


class RecordedMetrics:
    """Reads all files once, at the first question."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._lock = Lock()  # tools run in threads; two first questions must not read twice
        self._gathered: Gathered | None = None

    def gather(self, entity: str = "", metric: str = "") -> Gathered:  # noqa: ARG002 - all are at hand
        """All series up to now."""
        with self._lock:
            if self._gathered is None:
                self._gathered = self._read()
            return self._gathered

    def _read(self) -> Gathered:
        files, problems, late = matching(self._bundle, "metrics"), Problems(), 0
        found: dict[_Key, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
        for name in files:
            late += self._read_file(name, found, problems)
        series = tuple(_samples(key, *found[key]) for key in sorted(found))
        return Gathered(series, ", ".join(files) or "no metrics in this bundle", late, problems.lines())

    def _read_file(self, name: str, found: dict[_Key, tuple[list[float], list[float]]], problems: Problems) -> int:
        times, now, late = Times(clock_of(self._bundle)), self._bundle.now.timestamp(), 0
        epoch = times.epoch
        for stamp, entity, metric, cell in rows(self._bundle, name, _COLUMNS, problems):
            at = epoch(stamp)
            if at is None or not metric:
                problems.note(f"{name}: rows without a readable timestamp or metric")
            elif at > now:
                late += 1
            elif (value := _number(cell)) is None:
                problems.note(f"{name}: values that are no number")
            elif isfinite(value):  # NaN is how a scraper writes "no sample"
                stamps, values = found[entity, metric, name]
                stamps.append(at)
                values.append(value)
            else:
                problems.note(f"{name}: samples that are NaN or infinite")
        return late


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None if cell.strip() else float("nan")


def _samples(key: _Key, times: list[float], values: list[float]) -> Samples:
    order = np.argsort(np.array(times), kind="stable")
    return Samples(key[0], key[1], np.array(times)[order], np.array(values)[order], key[2])
