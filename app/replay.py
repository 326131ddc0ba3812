"""One recorded incident through the whole house: bundle in, report out."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from alerts import receive
from analysis.redaction import Redactor
from app.bootstrap import House
from app.sources import recorded_servers
from bundle.bundle import Bundle
from bundle.recording import CallRecord, Recording, read_recording, write_recording
from bundle.write import write_incident, written_folder
from domain.alert import Incident
from domain.codec import Json, digest, from_plain, to_plain
from domain.errors import BadBundle
from domain.report import Report
from domain.tool import Caller, ToolSpec
from graph.context import Notice, Work, unheard
from report.chart import charts
from report.document import document, dump
from report.markdown import markdown
from tools.call import Governance, Limits, Source
from tools.hub import Hub
from tools.ledger import Entry, Ledger
from tools.read_back import SPEC as READ_RESULT
from tools.read_back import ReadBack
from tools.recorded import RecordedSource
from tools.registry import grants
from tools.servers import Servers

NODE_TOOLS = {"root_cause": ("runbooks_search", "runbooks_read"), "report": ("metrics_range",)}
REPORT, MARKDOWN = "report.json", "report.md"


@dataclass(frozen=True)
class Outcome:
    """What a replay gave."""

    report: Report  # with its calls
    entries: tuple[Entry, ...]
    unanswered: tuple[str, ...]  # calls a recording could not answer

    @property
    def document(self) -> dict[str, Json]:
        """report.json."""
        return document(self.report)


def incident_of(bundle: Bundle) -> Incident:
    """The incident that a bundle records. Raises BadBundle when its alert cannot be read."""
    received = receive(bundle.alert, bundle.now)
    return Incident(
        bundle.id, bundle.title, bundle.fired_at, bundle.window, bundle.timezone, received.alerts, bundle.notes,
        tuple(received.gaps),
    )  # fmt: skip


async def replay(house: House, bundle: Bundle, *, from_files: bool = False, notice: Notice = unheard) -> Outcome:
    """Run the graph over the bundle: over its files, or over its flight recording where it has one."""
    recording = read_recording(bundle) if bundle.is_recording and not from_files else None
    if from_files and bundle.is_recording and not bundle.files():
        raise BadBundle(f"{bundle.root}: has no evidence files to ask again; leave out --evidence")
    servers = Servers(recorded_servers(bundle, house.index.search, house.index.read))
    try:
        return await _run(house, bundle, servers, recording, notice)
    finally:
        await servers.close()


async def _run(house: House, bundle: Bundle, servers: Servers, recording: Recording | None, notice: Notice) -> Outcome:
    incident, started = incident_of(bundle), datetime.now(UTC)
    # The key is the incident's, so that two replays write the same placeholders.
    redactor = Redactor(digest(incident.id).encode())
    incident = from_plain(Incident, redactor.redact_json(to_plain(incident)))
    registry = await servers.specs() | {READ_RESULT.name: READ_RESULT}
    ledger = Ledger()
    recorded = RecordedSource(recording, redactor) if recording else None
    source: Source = ReadBack(ledger, registry, recorded or servers)
    granted = _grants(house, registry)
    hub = Hub(Governance(registry, granted, source, redactor, _limits(house)), ledger)
    work = Work(
        investigation=uuid.uuid4().hex, hub=hub, registry=registry, grants=granted, agents=house.agents,
        models={"analyst": house.analysts}, knowledge=house.knowledge, caller=Caller("local"), started_at=started,
        clock=lambda: datetime.now(UTC), contract=house.contract.sha256, fingerprint=house.fingerprint,
        forced_conclusion=house.settings.forced_conclusion, notice=notice,
    )  # fmt: skip
    end = await house.graph.ainvoke({"incident": to_plain(incident), "by": "analyst", "evidence": []}, context=work)
    entries = tuple(ledger.entries())
    report = replace(from_plain(Report, end["report"]), calls=tuple(entry.result for entry in entries))
    return Outcome(report, entries, tuple(recorded.unanswered) if recorded else ())


def _grants(house: House, registry: Mapping[str, ToolSpec]) -> dict[str, frozenset[str]]:
    named = {name: file.tools for name, file in house.agents.items()}
    return grants({**named, **NODE_TOOLS}, registry)


def _limits(house: House) -> Limits:
    given = house.settings
    return Limits(
        result_chars=given.result_chars, turn_results=given.turn_results, agent_chars=given.agent_chars,
        source_filters=given.source_filters, views=given.views_and_budgets, budgets=given.views_and_budgets,
    )  # fmt: skip


def write(outcome: Outcome, bundle: Bundle, house: House, out: Path, *, force: bool = False) -> None:
    """The report with its charts, and the flight recording, as a bundle of its own; all of it or nothing."""
    with written_folder(out, force) as folder:
        write_incident(bundle, folder)
        records = [_record(entry) for entry in outcome.entries]
        results = {entry.result.sha256: entry.result.data for entry in outcome.entries if entry.result.data is not None}
        write_recording(folder, records, results, to_plain(house.contract))
        (folder / REPORT).write_text(dump(outcome.document), encoding="utf-8")
        (folder / MARKDOWN).write_text(markdown(outcome.report, house.settings.lang), encoding="utf-8")
        for name, drawing in charts(outcome.report).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(drawing, encoding="utf-8")


def _record(entry: Entry) -> CallRecord:
    result = entry.result
    return CallRecord(
        call_id=result.call_id, agent=entry.caller.agent, tool=result.tool, arguments=result.arguments,
        status=result.status, error=result.error, sha256=result.sha256 if result.data is not None else "",
        coverage=result.coverage, text=result.text, truncated=result.truncated, version=result.version,
        started_at=datetime.fromtimestamp(entry.started_at, UTC).isoformat(), seconds=result.seconds,
        redactions=result.redactions,
    )  # fmt: skip
