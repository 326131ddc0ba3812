"""One recorded incident through the whole house: bundle in, report out."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from agents.gateway.tape import Playback
from alerts import receive
from app.bootstrap import House
from app.investigation import Order, Outcome, Second, investigate
from app.sources import recorded_servers
from bundle.bundle import ALERT, Bundle
from bundle.recording import CallRecord, Recording, read_recording, write_recording
from bundle.write import write_incident, written_folder
from domain.alert import Incident
from domain.codec import to_plain
from domain.errors import BadAlert, BadBundle
from graph.context import Notice, unheard
from report.chart import charts
from report.document import dump
from report.markdown import markdown
from tools.ledger import Entry
from tools.servers import Servers

REPORT, MARKDOWN = "report.json", "report.md"


def incident_of(bundle: Bundle) -> Incident:
    """The incident that a bundle records. Raises BadBundle when its alert cannot be read."""
    try:
        received = receive(bundle.alert, bundle.now)
    except BadAlert as exc:
        raise BadBundle(f"{ALERT}: {exc}") from exc
    return Incident(
        id=bundle.id,
        title=bundle.title,
        fired_at=bundle.fired_at,
        window=bundle.window,
        timezone=bundle.timezone,
        alerts=received.alerts,
        notes=bundle.notes,
        gaps=(*received.gaps, *(f"{gap.what}: {gap.why}" for gap in bundle.gaps)),
    )


async def replay(
    house: House,
    bundle: Bundle,
    *,
    from_files: bool = False,
    notice: Notice = unheard,
    second: Second | None = None,
) -> Outcome:
    """Run the graph over the bundle: over its files, or over its flight recording where it has one; with a model's
    pass where one is given, or where the recording holds what a model replied."""
    if from_files and bundle.is_recording and not bundle.files():
        raise BadBundle(f"{bundle.root}: has no evidence files to ask again; leave out --evidence")
    recording = read_recording(bundle) if bundle.is_recording and not from_files else None
    if second is None and recording is not None and recording.replies:
        second = played_back(house, recording)
    order = Order(incident_of(bundle), recording, notice=notice, second=second)
    servers = Servers(recorded_servers(bundle, house.index.search, house.index.read))
    try:
        outcome = await investigate(house, order, servers)
    finally:
        await servers.close()
    missed = dict.fromkeys(call for model in _playing(order) for call in model.missed)
    return replace(outcome, unanswered=(*outcome.unanswered, *missed))


def _playing(order: Order) -> list[Playback]:
    models = order.second.models.values() if order.second else ()
    return [model for model in models if isinstance(model, Playback)]


def played_back(house: House, recording: Recording) -> Second:
    """The model's pass of a recording: nobody is asked, its replies come from there."""
    models = Playback.each(recording.replies, house.agents)
    return Second(str(next(iter(models.values())).name), {agent: models[agent] for agent in house.agents})


def write(outcome: Outcome, bundle: Bundle, house: House, out: Path, *, force: bool = False) -> None:
    """The report with its charts, and the flight recording, as a bundle of its own; all of it or nothing."""
    with written_folder(out, force) as folder:
        write_incident(bundle, folder)
        write_flight(outcome, house, folder)
        write_report(outcome, house, folder)


def write_flight(outcome: Outcome, house: House, folder: Path) -> None:
    """The calls of the run with their results, and the contract it ran under."""
    records = [_record(entry) for entry in outcome.entries]
    results = {entry.result.sha256: entry.result.data for entry in outcome.entries if entry.result.data is not None}
    write_recording(folder, records, results, to_plain(house.contract), outcome.replies)


def write_report(outcome: Outcome, house: House, folder: Path) -> None:
    """report.json, report.md and the charts it links to."""
    (folder / REPORT).write_text(dump(outcome.document), encoding="utf-8")
    (folder / MARKDOWN).write_text(markdown(outcome.report, house.settings.lang), encoding="utf-8")
    for name, drawing in charts(outcome.report).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(drawing, encoding="utf-8")


def _record(entry: Entry) -> CallRecord:
    result = entry.result
    return CallRecord(
        call_id=result.call_id,
        agent=entry.caller.agent,
        tool=result.tool,
        arguments=result.arguments,
        status=result.status,
        error=result.error,
        sha256=result.sha256 if result.data is not None else "",
        coverage=result.coverage,
        text=result.text,
        truncated=result.truncated,
        version=result.version,
        started_at=datetime.fromtimestamp(entry.started_at, UTC).isoformat(),
        seconds=result.seconds,
        redactions=result.redactions,
    )
