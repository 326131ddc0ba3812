"""Takes a bundle of this machine as it is now, through the same sources that an investigation asks."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, Final

import numpy as np
import yaml

from alerts import receive
from analysis.lines.timestamps import LineClock, format_time
from analysis.secrets.redaction import Redactor
from app.live import LiveSources, live_sources
from app.scope import Scope
from app.scrub import HOST, Scrub, of_this_machine
from app.settings import Settings
from bundle.bundle import ALERT
from bundle.manifest import FILE as MANIFEST
from bundle.manifest import SCHEMA
from bundle.write import written_folder
from domain.alert import Window
from domain.codec import Json, digest, to_plain
from domain.errors import BadAlert, BadBundle, ToolTimeout, ToolUnavailable
from domain.facts import Fact
from domain.results import Change
from mcp_servers.live.watch import Watch

MOST_LOG: Final = 32 << 20  # characters of one source, its last ones
MOST_LOGS: Final = 256 << 20  # of all
_PACKED: Final = (".gz", ".zst", ".bz2", ".xz")
_SAFE: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+@=~")


@dataclass(frozen=True)
class Asked:
    """What is to be recorded."""

    title: str = "recorded by hand"
    back: timedelta = timedelta(hours=1)
    about: tuple[str, ...] = ()  # what is in question
    alert: bytes = b""  # a webhook body, in the place of one that is made up
    scrub: tuple[str, ...] = ()  # further names that nobody should read
    id: str = ""


@dataclass
class Notebook:
    """A folder that is written into. All text passes redaction, then the scrub."""

    folder: Path
    redactor: Redactor
    scrub: Scrub
    problems: list[str] = field(default_factory=list)

    def text(self, name: str, text: str) -> None:
        """A text file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.scrub.text(self.redactor.redact(text)), encoding="utf-8")

    def json(self, name: str, value: Json) -> None:
        """One JSON document."""
        self._put(name, f"{json.dumps(self.clean(value), ensure_ascii=False, indent=1)}\n")

    def jsonl(self, name: str, values: Iterable[Json]) -> None:
        """One JSON value a line; no file where there is none."""
        if lines := [json.dumps(self.clean(value), ensure_ascii=False) for value in values]:
            self._put(name, "".join(f"{line}\n" for line in lines))

    def yaml(self, name: str, value: Json) -> None:
        """One YAML document."""
        self._put(name, yaml.safe_dump(self.clean(value), sort_keys=False, allow_unicode=True))

    def clean(self, value: Json) -> Json:
        """The value without secrets and names."""
        return self.scrub.json(self.redactor.redact_json(value))

    def attempt(self, work: Callable[[], None]) -> None:
        """What cannot be had is noted; the rest is recorded."""
        try:
            work()
        except (ToolUnavailable, ToolTimeout, OSError) as exc:
            self.problems.append(str(exc))

    def _put(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")


def record(settings: Settings, asked: Asked, out: Path, *, force: bool = False) -> tuple[str, ...]:
    """Write the bundle, all of it or nothing; give what could not be recorded. Raises BadBundle."""
    started = datetime.now(UTC)
    name = asked.id or f"recorded-{started:%Y%m%d-%H%M%S}"
    watch = Watch(HOST, settings.timezone, back=asked.back)
    body = _alert(asked, started)
    with written_folder(out, force) as folder:
        book = Notebook(folder, Redactor(digest(name).encode()), of_this_machine(settings, asked.scrub))
        _evidence(live_sources(settings, watch), watch, Scope(asked.about), book)
        window = Window(started - asked.back, datetime.now(UTC))
        book.json(ALERT, body)
        _manifest(name, asked, window, _fired_at(body, window), settings.timezone, book)
    return tuple(dict.fromkeys(book.problems))


def _evidence(of: LiveSources, watch: Watch, scope: Scope, book: Notebook) -> None:
    # The state first: it is what changes while the rest is read.
    facts = of.host.snapshot(None)
    book.problems += facts.searched.problems
    book.json("host/snapshot.json", {"facts": _plain(scope.kept(facts.facts))})
    probes = of.network.probes()
    book.problems += probes.searched.problems
    book.json("network/probes.json", {"facts": _plain(scope.kept(probes.facts, facts.facts))})
    if of.engine.is_there:
        book.attempt(lambda: _containers(of, watch, book))
    _topology(of, book)
    changed = of.changes.changed()
    book.problems += changed.problems
    book.jsonl("changes.jsonl", map(_change, changed.changes))
    _metrics(of, book)
    _logs(of, watch, book)


def _containers(of: LiveSources, watch: Watch, book: Notebook) -> None:
    engine, problems = of.engine, book.problems
    found = engine.containers(problems)
    book.jsonl("docker/stats.jsonl", ({k: v for k, v in one.items() if k != "read"} for one in engine.stats(problems)))
    images = engine.images(engine.used_images(), problems)
    book.json("docker/containers.json", [*found, *images, *engine.volumes(), *engine.networks()])
    book.jsonl("docker/events.jsonl", engine.events(watch.start, watch.end))


def _topology(of: LiveSources, book: Notebook) -> None:
    topology = of.topology.topology()
    book.problems += topology.searched.problems
    if topology.edges or topology.runs_on:
        edges = [{"from": edge.caller, "to": edge.callee} for edge in topology.edges]
        book.yaml("topology.yaml", {"edges": edges, "runs_on": topology.runs_on})


def _change(change: Change) -> Json:
    told = {
        "time": change.time and format_time(change.time), "entity": change.entity, "kind": change.kind,
        "id": change.id, "summary": change.summary, "commit": change.commit, "author": change.author,
        "files": list(change.files),
    }  # fmt: skip
    return {key: value for key, value in told.items() if value}


def _plain(facts: Iterable[Fact]) -> list[Json]:
    return [
        {"kind": fact.kind, "entity": fact.entity}
        | ({"at": format_time(fact.at)} if fact.at else {})
        | {"attributes": to_plain(fact.attributes)}
        for fact in facts
    ]


def _metrics(of: LiveSources, book: Notebook) -> None:
    gathered = of.metrics.gather()
    book.problems += gathered.problems
    if not gathered.series:
        return
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("timestamp", "entity", "metric", "value"))
    for series in gathered.series:
        for at, value in zip(series.times.tolist(), series.values.tolist(), strict=True):
            if np.isfinite(value):
                stamp = format_time(datetime.fromtimestamp(at, UTC))
                rows.writerow((stamp, book.clean(series.entity), book.clean(series.metric), f"{value:.9g}"))
    path = book.folder / "metrics/metrics.csv.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(out.getvalue().encode(), mtime=0))


def _logs(of: LiveSources, watch: Watch, book: Notebook) -> None:
    left, start = MOST_LOGS, watch.start
    for name in of.logs.names():
        try:
            text = "".join(_lines(of, name, start, watch.end))[-min(MOST_LOG, left) :] if left > 0 else ""
        except BadBundle as exc:
            book.problems.append(str(exc))
            continue
        if left <= 0:
            book.problems.append(f"{name}: left out, the logs are longer than {MOST_LOGS} characters")
        elif text:
            left -= len(text)
            book.text(_free(book.folder, log_name(book.scrub.text(name))), text)
    book.problems += of.logs.problems()


def _lines(of: LiveSources, name: str, start: datetime, end: datetime) -> Iterator[str]:
    """The lines of the window; those of which nobody knows the time are kept."""
    clock = LineClock(of.logs.clock)
    for chunk in of.logs.chunks(name):
        for line in chunk.data.decode("utf-8", "replace").splitlines(keepends=True):
            at = clock.stamp(line)
            if at is None or start <= at <= end:
                yield line


def log_name(name: str) -> str:
    """The path of a source in the bundle: logs/var/log/nginx/error.log, logs/container/web.log."""
    parts = ["".join(c if c in _SAFE else "_" for c in part) for part in PurePosixPath(name).parts]
    plain = "/".join(part for part in parts if part.strip("._"))
    for ending in _PACKED:
        plain = plain.removesuffix(ending)
    return f"logs/{plain}" if "." in PurePosixPath(plain).name else f"logs/{plain}.log"


def _free(folder: Path, name: str) -> str:
    """The name, or one beside it where a rotated file has it already."""
    return next(one for one in (name, *(f"{name}.{n}" for n in range(1, 10_000))) if not (folder / one).exists())


def _alert(asked: Asked, now: datetime) -> Json:
    """The webhook body. Raises BadBundle when a given one cannot be read."""
    if not asked.alert:
        return made_up(asked.title, asked.about, now)
    try:
        body = json.loads(asked.alert)
        receive(body, now)
    except (ValueError, BadAlert) as exc:
        raise BadBundle(f"the alert cannot be read: {exc}") from exc
    return body


def made_up(title: str, about: tuple[str, ...], now: datetime) -> Json:
    """An alert in Alertmanager's words, for a recording that no alert led to."""
    subject = {("mountpoint" if about[0].startswith("/") else "service"): about[0]} if about else {"instance": HOST}
    alert = {
        "status": "firing", "labels": {"alertname": "RecordedByHand", "severity": "warning", **subject},
        "annotations": {"summary": title}, "startsAt": format_time(now), "fingerprint": digest([title, *about])[:16],
    }  # fmt: skip
    return {"version": "4", "status": "firing", "receiver": "fishbone-record", "alerts": [alert]}


def _fired_at(body: Json, window: Window) -> datetime:
    """When the first of the alerts began, within the window."""
    known = [alert.starts_at for alert in receive(body, window.end).alerts if alert.starts_at]
    return min(max(min(known, default=window.end), window.start), window.end)


def _manifest(
    name: str, asked: Asked, window: Window, fired_at: datetime, timezone: str, book: Notebook
) -> None:  # fmt: skip
    said = "; ".join(dict.fromkeys(book.problems))
    notes = "Recorded by `fishbone record`; counters come as rates per second."
    book.yaml(
        MANIFEST, manifest(name, asked.title, fired_at, window, timezone, notes + (f" Not had: {said}" * bool(said)))
    )


def manifest(name: str, title: str, fired_at: datetime, window: Window, timezone: str, notes: str) -> dict[str, Any]:
    """incident.yaml."""
    return {
        "schema": SCHEMA, "id": name, "title": title, "fired_at": format_time(fired_at),
        "window": {"start": format_time(window.start), "end": format_time(window.end)}, "timezone": timezone,
        "notes": notes,
    }  # fmt: skip
