"""Takes the bundle with `fishbone record`, as of any machine, and puts the truth beside it."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import yaml

from lab.monitor import URL, Monitor, Sampler
from lab.stage import ENVIRONMENT, Stage

START = 30  # seconds that fishbone may take to start: its window ends when it looks
BUNDLE = Path("/run/bundle")
LONG = 16_000  # bytes of a log
FISHBONE = [sys.executable, str(Path(sys.executable).with_name("fishbone"))]


class RecordingFailed(RuntimeError):
    """`fishbone record` said no."""


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
    """Watches while the scenario plays."""

    stage: Stage
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    fired: datetime | None = None
    allowed: list[str] = field(default_factory=list)
    authority: str = ""  # whose certificates the machine trusts
    monitor: Monitor = field(init=False)

    def __post_init__(self) -> None:
        self.monitor = Monitor(self.stage)

    def watch(self, *samplers: Sampler) -> None:
        """Let Prometheus see what these tell."""
        self.monitor.samplers.extend(samplers)

    def probe(self, *targets: str) -> None:
        """What `fishbone record` may probe, as network_allow names it."""
        self.allowed.extend(targets)

    def fire(self) -> None:
        """The alert fires now."""
        self.fired = datetime.now(UTC)

    def write(self, folder: Path, alert: Alert, expected: Mapping[str, Any]) -> None:
        """The bundle, written beside and renamed."""
        fired = self.fired or datetime.now(UTC)
        body = Path("/run/alert.json")
        body.write_text(json.dumps(webhook(alert, fired), indent=2) + "\n", encoding="utf-8")
        self._take(alert, body)
        text = yaml.safe_dump(dict(expected), sort_keys=False, allow_unicode=True, width=120)
        (BUNDLE / "expected.yaml").write_text(text, encoding="utf-8")
        pack(BUNDLE)
        new = folder.with_name(f".{folder.name}.new")
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(BUNDLE, new)
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)

    def _take(self, alert: Alert, body: Path) -> None:
        since = math.ceil((datetime.now(UTC) - self.started).total_seconds()) + START
        command = [*FISHBONE, "record", "--out", str(BUNDLE), "--since", f"{since}s", "--title", alert.title]
        done = subprocess.run(
            [*self.stage.inside(), *command, "--alert", str(body)],
            cwd="/srv",
            env={"PATH": ENVIRONMENT["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", **self._settings()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RecordingFailed(done.stdout)
        print(done.stdout, end="", file=sys.stderr)

    def _settings(self) -> dict[str, str]:
        return {
            "FISHBONE_DATA": "/run/fishbone",
            "FISHBONE_PROMETHEUS_URL": URL,
            **({"SSL_CERT_FILE": self.authority} if self.authority else {}),
            "FISHBONE_NETWORK_ALLOW": ",".join(self.allowed),
            "FISHBONE_DOCKER_HOST": "unix:///run/docker.sock" if "dockerd" in self.stage.programs else "off",
        }


def pack(bundle: Path) -> None:
    """Compress long logs, as a bundle may hold them: eighty bundles should stay small."""
    for log in sorted(bundle.glob("logs/**/*.log")):
        if log.stat().st_size > LONG:
            packed = gzip.compress(log.read_bytes(), mtime=0)
            log.with_name(f"{log.name}.gz").write_bytes(packed)
            log.unlink()


def out_folder(path: Path) -> Path:
    """The folder by its descriptor, so that it stays reachable when the stage's own file systems cover its path."""
    path.mkdir(parents=True, exist_ok=True)
    return Path("/proc/self/fd", str(os.open(path, os.O_RDONLY | os.O_DIRECTORY)))


def processes(stage: Stage, *names: str) -> Sampler:
    """CPU, memory of their own, and descriptors of programs."""
    known: dict[int, psutil.Process] = {}

    def sample() -> Iterable[tuple[str, str, float]]:
        for name in names:
            found = [known.setdefault(p.pid, p) for p in stage.pids(name)] if name in stage.programs else []
            alive = [reading for reading in map(_reading, found) if reading]
            for metric, at in (("cpu_percent", 0), ("memory_private_bytes", 1), ("open_fds", 2)):
                if alive:
                    yield f"process:{name}", metric, sum(reading[at] for reading in alive)

    return sample


def _reading(process: psutil.Process) -> tuple[float, float, float] | None:
    try:
        with process.oneshot():
            memory = process.memory_info()
            return process.cpu_percent(), memory.rss - memory.shared, process.num_fds()
    except psutil.Error:
        return None


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


def stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
