"""Takes a bundle of a finished investigation: its stored calls and results as a flight recording, and its report."""

import json
from collections.abc import Mapping
from pathlib import Path

from agents.contract import known
from app.record import manifest
from app.replay import MARKDOWN, REPORT
from app.scrub import Scrub
from bundle.bundle import ALERT
from bundle.manifest import FILE as MANIFEST
from bundle.recording import CallRecord, ReplyRecord, write_recording
from bundle.write import written_folder
from domain.alert import Alert, Incident
from domain.codec import Json, digest, from_plain, to_plain
from domain.errors import BadConfiguration
from domain.evidence import Coverage
from store import calls, incidents, investigations, passes, reports, results
from store.calls import LoggedCall
from store.database import Database
from store.reports import StoredReport


async def record_incident(database: Database, incident_id: str, scrub: Scrub, out: Path, *, force: bool) -> None:
    """Write the bundle, all of it or nothing. Raises BadConfiguration where there is no finished investigation."""
    async with database.connection() as connection:
        stored = await incidents.get(connection, incident_id)
        report = await reports.latest(connection, incident_id)
        if stored is None or report is None:
            raise BadConfiguration(f"{incident_id}: no such incident with a report; `fishbone incidents` lists them")
        ran = await investigations.get(connection, report.investigation)
        made = await calls.of_investigation(connection, report.investigation)
        data = await results.load_all(connection, {call.result_sha256 for call in made if call.result_sha256})
        said = await passes.replies(connection, report.investigation)
    with written_folder(out, force) as folder:
        _incident(stored.incident, scrub, folder)
        shas = _flight(made, data, ran.contract if ran else "", scrub, folder, said)
        _report(report, scrub, shas, folder)


def _incident(incident: Incident, scrub: Scrub, folder: Path) -> None:
    told = manifest(
        incident.id, incident.title, incident.fired_at, incident.window, incident.timezone, incident.notes
    )  # fmt: skip
    # JSON is YAML too, and needs no care about quotes
    (folder / MANIFEST).write_text(_dump(scrub.json(told) | {"id": incident.id}), encoding="utf-8")
    (folder / ALERT).write_text(_dump(scrub.json(webhook(incident))), encoding="utf-8")


def webhook(incident: Incident) -> Json:
    """The alerts in Alertmanager's words, whoever sent them: that is what is kept of them."""
    return {
        "version": "4", "status": "firing", "receiver": "fishbone-record",
        "alerts": [_alert(alert) for alert in incident.alerts],
    }  # fmt: skip


def _alert(alert: Alert) -> Json:
    named = {"alertname": alert.name}
    known = {} if "severity" in alert.labels or alert.severity == "unknown" else {"severity": alert.severity}
    told = {
        "status": alert.status.value, "labels": named | known | alert.labels, "annotations": alert.annotations,
        "startsAt": alert.starts_at, "endsAt": alert.ends_at, "fingerprint": alert.fingerprint,
    }  # fmt: skip
    return {key: to_plain(value) for key, value in told.items() if value is not None}


def _flight(
    made: tuple[LoggedCall, ...],
    data: Mapping[str, Json],
    sha256: str,
    scrub: Scrub,
    folder: Path,
    said: tuple[Json, ...] = (),
) -> dict[str, str]:
    """Write calls and results; what was scrubbed has another hash: old -> new."""
    kept = {old: scrub.json(content) for old, content in data.items()}
    shas = {old: digest(content) for old, content in kept.items()}
    ran = to_plain(known(sha256) or {"sha256": sha256})
    records = [_record(call, shas.get(call.result_sha256, ""), scrub) for call in made]
    replies = [from_plain(ReplyRecord, scrub.json(reply)) for reply in said]
    write_recording(folder, records, {shas[old]: content for old, content in kept.items()}, ran, replies)
    return shas


def _record(call: LoggedCall, sha256: str, scrub: Scrub) -> CallRecord:
    return CallRecord(
        call.call_id, call.agent, call.tool, scrub.json(call.arguments), call.status, scrub.text(call.error), sha256,
        from_plain(Coverage, scrub.json(call.coverage)) if call.coverage else None, scrub.text(call.text),
        call.truncated, call.tool_version, call.started_at.isoformat(), call.seconds, call.redactions,
    )  # fmt: skip


def _report(report: StoredReport, scrub: Scrub, shas: Mapping[str, str], folder: Path) -> None:
    text = _dump(scrub.json(report.report))
    for old, new in shas.items():
        text = text.replace(old, new)
    (folder / REPORT).write_text(text, encoding="utf-8")
    (folder / MARKDOWN).write_text(scrub.text(report.markdown), encoding="utf-8")


def _dump(value: Json) -> str:
    return f"{json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)}\n"
