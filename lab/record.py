"""What is kept of a recording: samples while it runs, command output at its end, and the bundle that is written."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import yaml

from lab.stage import LOGS, Stage

INTERVAL = 5.0  # seconds between two samples
Sampler = Callable[[], Iterable[tuple[str, str, float]]]  # -> entity, metric, value
NOTES = (
    "Recorded on one machine from real programs. Metrics are sampled every 5 s by the recorder. "
    "Command output was captured at the end of the window."
)


@dataclass(frozen=True)
class Alert:
    """What the sender says: symptoms, never the cause."""

    name: str
    title: str
    description: str
    labels: Mapping[str, str]
    severity: str = "critical"


@dataclass(frozen=True)
class Expected:
    """The truth about the faulty recording; its healthy twin needs none."""

    fault: str
    entities: Sequence[str]
    terms: Sequence[Sequence[str]]
    tempting: str
    difficulty: str = "medium"
    must_not_appear: Sequence[str] = ()


@dataclass
class Recording:
    """Collects while the scenario plays."""

    stage: Stage
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    fired: datetime | None = None
    documents: dict[str, str] = field(default_factory=dict)  # path in the bundle -> content
    facts: list[str] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)
    _samplers: list[Sampler] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)

    def watch(self, *samplers: Sampler) -> None:
        """Sample from now on, until the bundle is written."""
        self._samplers.extend(samplers)
        threading.Thread(target=self._sample, daemon=True).start()

    def _sample(self) -> None:
        while not self._over.wait(INTERVAL):
            at = stamp(datetime.now(UTC))
            for sampler in self._samplers:
                self.rows.extend((at, entity, metric, f"{value:.6g}") for entity, metric, value in sampler())

    def fire(self) -> None:
        """The alert fires now."""
        self.fired = datetime.now(UTC)

    def capture(self, *commands: str) -> None:
        """Keep what the commands print on the stage."""
        self.facts.extend(f"$ {command}\n{self.stage.run(command).rstrip()}\n" for command in commands)

    def end(self) -> None:
        self._over.set()

    def write(self, folder: Path, alert: Alert, expected: Mapping[str, Any]) -> None:
        """The bundle, written beside and renamed."""
        self.end()
        fired = self.fired or datetime.now(UTC)
        new = folder.with_name(f".{folder.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        self._write_logs(new / "logs")
        ended = datetime.now(UTC)
        write_yaml(
            new / "incident.yaml",
            {
                "schema": "fishbone/bundle@1",
                "id": neutral_id(folder.name),
                "title": alert.title,
                "fired_at": stamp(fired),
                "window": {"start": stamp(self.started), "end": stamp(ended)},
                "timezone": "UTC",
                "notes": NOTES,
            },
        )
        write_text(new / "alert.json", json.dumps(webhook(alert, fired), indent=2) + "\n")
        write_text(new / "artifacts/facts.txt", "\n".join(self.facts))
        for path, content in self.documents.items():
            write_text(new / path, content)
        self._write_metrics(new / "metrics/metrics.csv")
        if self.edges:
            write_yaml(new / "topology.yaml", {"edges": [{"from": a, "to": b} for a, b in self.edges]})
        write_yaml(new / "expected.yaml", dict(expected))
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)

    @staticmethod
    def _write_logs(folder: Path) -> None:
        folder.mkdir()
        for log in sorted(LOGS.glob("*.log")):
            if log.stat().st_size:
                shutil.copyfile(log, folder / log.name)

    def _write_metrics(self, path: Path) -> None:
        path.parent.mkdir()
        with path.open("w", newline="", encoding="utf-8") as out:
            csv.writer(out, lineterminator="\n").writerows([("timestamp", "entity", "metric", "value"), *self.rows])


def processes(stage: Stage, *names: str) -> Sampler:
    """CPU, memory, descriptors and threads of programs."""
    cpu: dict[int, psutil.Process] = {}

    def sample() -> Iterable[tuple[str, str, float]]:
        for name in names:
            found = [cpu.setdefault(p.pid, p) for p in stage.pids(name)] if name in stage.programs else []
            yield f"process:{name}", "up", float(bool(found))
            alive = [reading for reading in map(_reading, found) if reading]
            for metric, at in (("cpu_percent", 0), ("memory_rss_bytes", 1), ("open_fds", 2)):
                if alive:
                    yield f"process:{name}", metric, sum(reading[at] for reading in alive)

    return sample


def _reading(process: psutil.Process) -> tuple[float, float, float] | None:
    try:
        with process.oneshot():
            return process.cpu_percent(), process.memory_info().rss, process.num_fds()
    except psutil.Error:
        return None


def volume(path: str) -> Sampler:
    """How full a volume is."""

    def sample() -> Iterable[tuple[str, str, float]]:
        found = os.statvfs(path)
        yield f"volume:{path}", "used_percent", 100 * (1 - found.f_bavail / found.f_blocks)
        yield f"volume:{path}", "free_bytes", found.f_bavail * found.f_frsize

    return sample


def webhook(alert: Alert, fired: datetime) -> dict[str, Any]:
    """The body that Alertmanager posts (version 4)."""
    labels = {"alertname": alert.name, "severity": alert.severity, **alert.labels}
    annotations = {"summary": alert.title, "description": alert.description}
    return {
        "receiver": "fishbone",
        "status": "firing",
        "alerts": [
            {
                "status": "firing",
                "labels": labels,
                "annotations": annotations,
                "startsAt": stamp(fired),
                "endsAt": "0001-01-01T00:00:00Z",
                "generatorURL": f"http://prometheus:9090/graph?g0.expr={alert.name}&g0.tab=1",
                "fingerprint": hashlib.sha256(json.dumps(labels, sort_keys=True).encode()).hexdigest()[:16],
            }
        ],
        "groupLabels": {"alertname": alert.name},
        "commonLabels": labels,
        "commonAnnotations": annotations,
        "externalURL": "http://alertmanager:9093",
        "version": "4",
        "groupKey": f'{{}}:{{alertname="{alert.name}"}}',
        "truncatedAlerts": 0,
    }


def neutral_id(name: str) -> str:
    """An id that does not tell a twin from its fault."""
    return "lab-" + hashlib.sha256(name.encode()).hexdigest()[:6]


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def write_text(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def write_yaml(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(yaml.safe_dump(dict(content), sort_keys=False, allow_unicode=True, width=120), encoding="utf-8")
