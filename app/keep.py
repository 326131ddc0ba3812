"""Keep what an investigation gave in the store: incident, investigation, results, calls, report."""

from datetime import UTC, datetime

from app.bootstrap import House
from app.investigation import Outcome
from domain.codec import Json, to_plain
from report.markdown import markdown
from store import calls, incidents, investigations, passes, reports, results
from tools.ledger import Entry


async def keep(house: House, outcome: Outcome) -> None:
    """All of it in one transaction: a report without its evidence would prove nothing."""
    report, document = outcome.report, outcome.document
    run = report.run
    shown = markdown(report, house.settings.lang)
    async with house.database.connection() as connection, connection.transaction():
        await incidents.save(connection, report.incident)
        version = await investigations.start(
            connection, run.investigation, report.incident.id, datetime.fromisoformat(run.started_at),
            contract=run.contract, fingerprint=run.fingerprint,
        )  # fmt: skip
        found = {entry.result.sha256: entry.result.data for entry in outcome.entries if entry.result.data is not None}
        await results.save_all(connection, found)
        await calls.add(connection, [logged(run.investigation, entry) for entry in outcome.entries])
        for each in outcome.replies:
            await passes.add_reply(
                connection, run.investigation, each.agent, each.turn, each.request, to_plain(each)
            )  # fmt: skip
        await reports.save(connection, report.incident.id, version, run.investigation, document, shown)
        await investigations.finish(connection, run.investigation, ended(document))
        await incidents.set_status(connection, report.incident.id, "closed")


def ended(document: dict[str, Json]) -> investigations.Outcome:
    """How the investigation ended, as its report says."""
    cause = document["root_cause"] or {}
    return investigations.Outcome(
        "done", datetime.now(UTC), verdict=document["verdict"], confidence=cause.get("confidence"),
        entity=cause.get("entity"), fault=cause.get("fault"),
    )  # fmt: skip


def logged(investigation: str, entry: Entry) -> calls.LoggedCall:
    """A call as the store keeps it."""
    result, caller = entry.result, entry.caller
    return calls.LoggedCall(
        investigation=investigation,
        call_id=result.call_id,
        agent=caller.agent,
        entry=caller.entry,
        identity=caller.identity,
        tool=result.tool,
        tool_version=result.version,
        arguments=result.arguments,
        status=result.status,
        started_at=datetime.fromtimestamp(entry.started_at, UTC),
        seconds=result.seconds,
        error=result.error,
        result_sha256=result.sha256 if result.data is not None else "",
        redactions=result.redactions,
        truncated=result.truncated,
        original_chars=len(result.text),
        text=result.text,
        coverage=to_plain(result.coverage),
    )
