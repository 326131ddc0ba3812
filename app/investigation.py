"""One investigation: the graph over an incident, whatever its evidence comes from."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from analysis.redaction import Redactor
from app.bootstrap import House
from app.foreign import foreign_grants
from bundle.recording import Recording
from domain.alert import Incident
from domain.codec import Json, digest, from_plain, to_plain
from domain.report import Report
from domain.tool import Caller, ToolSpec
from graph.context import Notice, Work, unheard
from report.document import document
from tools.call import Governance, Limits, Source
from tools.hub import Hub
from tools.ledger import Entry, Ledger
from tools.read_back import SPEC as READ_RESULT
from tools.read_back import ReadBack
from tools.recorded import RecordedSource
from tools.registry import grants
from tools.servers import Servers

NODE_TOOLS = {"root_cause": ("runbooks_search", "runbooks_read"), "report": ("metrics_range",)}
ANALYST = "analyst"


@dataclass(frozen=True)
class Order:
    """What is to be investigated, on whose behalf, and who watches."""

    incident: Incident
    recording: Recording | None = None  # answers in the place of the servers
    caller: Caller = field(default_factory=lambda: Caller(""))  # each agent and node puts its own name in
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    notice: Notice = unheard
    ledger: Ledger = field(default_factory=Ledger)  # of a run that is gone on with, with its calls so far
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True)
class Outcome:
    """What an investigation gave."""

    report: Report  # with its calls
    entries: tuple[Entry, ...]
    unanswered: tuple[str, ...]  # calls a recording could not answer

    @property
    def document(self) -> dict[str, Json]:
        """report.json."""
        return document(self.report)


Start = dict[str, Json]
Run = Callable[[Start, Work], Awaitable[dict[str, Json]]]  # runs the graph from its start, or on from a checkpoint


async def investigate(house: House, order: Order, servers: Servers, run: Run | None = None) -> Outcome:
    """Run the graph; every call goes through a hub of this investigation's own."""
    # The key is the incident's, so that two replays write the same placeholders.
    redactor = Redactor(digest(order.incident.id).encode())
    registry = await servers.specs() | {READ_RESULT.name: READ_RESULT}
    known = replace(order.incident, gaps=(*order.incident.gaps, *servers.problems))
    incident = from_plain(Incident, redactor.redact_json(to_plain(known)))
    ledger = order.ledger
    recorded = RecordedSource(order.recording, redactor) if order.recording else None
    source: Source = ReadBack(ledger, registry, recorded or servers)
    granted = _grants(house, registry)
    hub = Hub(Governance(registry, granted, source, redactor, _limits(house)), ledger)
    work = _work(house, order, hub, registry, granted)
    start = {"incident": to_plain(incident), "by": ANALYST, "evidence": []}
    end = await run(start, work) if run else await house.graph.ainvoke(start, context=work)
    entries = tuple(ledger.entries())
    report = replace(from_plain(Report, end["report"]), calls=tuple(entry.result for entry in entries))
    return Outcome(report, entries, tuple(recorded.unanswered) if recorded else ())


def _work(
    house: House, order: Order, hub: Hub, registry: Mapping[str, ToolSpec], granted: Mapping[str, frozenset[str]]
) -> Work:
    return Work(
        investigation=order.id,
        hub=hub,
        registry=registry,
        grants=granted,
        agents=house.agents,
        models={ANALYST: house.analysts},
        knowledge=house.knowledge,
        caller=order.caller,
        started_at=order.started_at,
        clock=lambda: datetime.now(UTC),
        contract=house.contract.sha256,
        fingerprint=house.fingerprint,
        forced_conclusion=house.settings.forced_conclusion,
        notice=order.notice,
    )


def _grants(house: House, registry: Mapping[str, ToolSpec]) -> dict[str, frozenset[str]]:
    foreign = foreign_grants(registry, house.settings)
    named = {name: (*file.tools, *foreign.get(name, ())) for name, file in house.agents.items()}
    return grants({**named, **NODE_TOOLS}, registry)


def _limits(house: House) -> Limits:
    given = house.settings
    return Limits(
        result_chars=given.result_chars,
        turn_results=given.turn_results,
        agent_chars=given.agent_chars,
        source_filters=given.source_filters,
        views=given.views_and_budgets,
        budgets=given.views_and_budgets,
    )
