"""One investigation: the graph over an incident, whatever its evidence comes from; in one pass or two."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from langchain_core.language_models import BaseChatModel

from agents.analyst import NAME as ANALYST
from agents.gateway.tape import Keep, Tape, Taped, kept_nowhere
from analysis.secrets.redaction import Redactor
from app.bootstrap import House
from app.fallback import gave_nothing, stands
from app.foreign import foreign_grants
from bundle.recording import Recording, ReplyRecord
from domain.alert import Incident
from domain.codec import Json, digest, from_plain, to_plain
from domain.report import Report
from domain.tool import Caller, ToolSpec
from graph.context import Budget, Notice, Work, unheard
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
GRACE_SECONDS = 60.0  # beyond the budget's, in which agents that keep their own deadlines have long concluded


@dataclass(frozen=True)
class Second:
    """A model's pass after the analyst's: whose it is, and whom its agents ask."""

    name: str  # of the model; it signs its evidence
    models: Mapping[str, BaseChatModel]  # by agent
    keep: Keep = kept_nowhere  # where each reply is stored
    said: tuple[ReplyRecord, ...] = ()  # replies of a run that is gone on with


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
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)  # of the same make as started_at
    second: Second | None = None
    first: Report | None = None  # the analyst's report, where it is there: then only the second pass is run


@dataclass(frozen=True)
class Outcome:
    """What an investigation gave."""

    report: Report  # with its calls
    entries: tuple[Entry, ...]
    unanswered: tuple[str, ...]  # calls a recording could not answer
    replies: tuple[ReplyRecord, ...] = ()  # of the model
    failed: str = ""  # why the second pass gave nothing, so that the analyst's report stands

    @property
    def document(self) -> dict[str, Json]:
        """report.json."""
        return document(self.report)


Start = dict[str, Json]
Run = Callable[[Start, Work], Awaitable[dict[str, Json]]]  # runs the graph from its start, or on from a checkpoint


@dataclass(frozen=True)
class _Desk:
    """What both passes of one investigation work with."""

    work: Work
    incident: Json
    redactor: Redactor
    recorded: RecordedSource | None
    run: Run

    def outcome(self, report: Report, replies: Iterable[ReplyRecord] = (), failed: str = "") -> Outcome:
        """The report with all calls so far."""
        entries = tuple(self.work.hub.ledger.entries())
        whole = replace(report, calls=tuple(entry.result for entry in entries))
        return Outcome(whole, entries, tuple(self.recorded.unanswered) if self.recorded else (), tuple(replies), failed)


async def investigate(house: House, order: Order, servers: Servers, run: Run | None = None) -> Outcome:
    """Run the graph, once as the offline analyst, and where the order has a second pass once more with its model.
    Every call goes through a hub of this investigation's own."""
    desk = await _desk(house, order, servers, run)
    first = order.first
    if first is None:
        end = await desk.run({"incident": desk.incident, "by": ANALYST, "evidence": []}, desk.work)
        first = from_plain(Report, end["report"])
    if order.second is None:
        return desk.outcome(first)
    if order.first is None:
        order.ledger.begin_pass()
    return await _second(desk, order.second, first)


def redactor_of(incident_id: str) -> Redactor:
    """Its key is the incident's, so that two replays write the same placeholders."""
    return Redactor(digest(incident_id).encode())


async def _desk(house: House, order: Order, servers: Servers, run: Run | None) -> _Desk:
    redactor = redactor_of(order.incident.id)
    registry = await servers.specs() | {READ_RESULT.name: READ_RESULT}
    known = replace(order.incident, gaps=(*order.incident.gaps, *servers.problems))
    incident = from_plain(Incident, redactor.redact_json(to_plain(known)))
    ledger = order.ledger
    recorded = RecordedSource(order.recording, redactor) if order.recording else None
    source: Source = ReadBack(ledger, registry, recorded or servers)
    granted = _grants(house, registry)
    hub = Hub(Governance(registry, granted, source, redactor, _limits(house)), ledger)
    work = _work(house, order, hub, registry, granted)

    async def through(start: Start, context: Work) -> dict[str, Json]:
        return dict(await house.graph.ainvoke(start, context=context))

    return _Desk(work, to_plain(incident), redactor, recorded, run or through)


async def _second(desk: _Desk, second: Second, first: Report) -> Outcome:
    """The model's pass. Where it gives nothing, the analyst's report stands and says why."""
    tape = Tape(desk.redactor.redact_json, second.keep, list(second.said))
    taped = {agent: Taped(name=second.name, inner=model, tape=tape) for agent, model in second.models.items()}
    work = replace(
        desk.work, models={**desk.work.models, second.name: taped}, spent=lambda: (tape.tokens, tape.cost)
    )  # fmt: skip
    start = {
        "incident": desk.incident, "by": second.name, "first": to_plain(first.diagnosis),
        "evidence": [to_plain(evidence) for evidence in first.evidence],
    }  # fmt: skip
    try:
        async with asyncio.timeout(work.budget.seconds + GRACE_SECONDS) as limit:
            report = from_plain(Report, (await desk.run(start, work))["report"])
    except TimeoutError:
        if not limit.expired():  # somebody else's
            raise
        why = f"it did not end within {work.budget.seconds + GRACE_SECONDS:.0f} s"
        return desk.outcome(stands(first, second.name, why, (), tape), tape.records, why)
    theirs = tuple(evidence for evidence in report.evidence if evidence.by == second.name)
    if why := gave_nothing(theirs):
        return desk.outcome(stands(first, second.name, why, theirs, tape), tape.records, why)
    return desk.outcome(report, tape.records)


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
        clock=order.clock,
        contract=house.contract.sha256,
        fingerprint=house.fingerprint,
        forced_conclusion=house.settings.forced_conclusion,
        budget=Budget(house.settings.model_tokens, house.settings.model_seconds, house.settings.compaction),
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
