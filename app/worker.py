"""What a worker does with a job: load the incident, run the graph, save the report, notify."""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from app.bootstrap import House
from app.evidence import Targets, targets
from app.fallback import stands
from app.heart import Heart
from app.investigation import Order, Outcome, Run, Second, Start, investigate
from app.passes import configured
from app.seen import machines
from app.skew import seen_from, steady_clock
from app.tracing import Followed, followed
from app.writer import Progress, Writer
from domain.alert import Incident
from domain.codec import Json
from domain.errors import FencedOff, RetryLater
from domain.report import Report
from domain.tool import Caller
from graph.build import build_graph
from graph.context import Notice, Work, unheard
from store import incidents, investigations, reports
from store.checkpoints import FencedSaver
from store.claims import Asked, Held, Nothing, claim
from store.reports import StoredReport
from tools.ledger import Ledger
from tools.servers import Servers

log = logging.getLogger(__name__)
Notify = Callable[[StoredReport], Awaitable[None]]


async def tell_nobody(report: StoredReport) -> None:
    """No channel is set up."""


@dataclass(frozen=True)
class Desk:
    """What all jobs of a worker share."""

    house: House
    heart: Heart
    stop: asyncio.Event  # set: the worker is told to stop
    targets: Targets = targets
    notify: Notify = tell_nobody
    watch: Notice = unheard  # hears of each step before it is written
    running: set[RunControl] = field(default_factory=set)

    def drain(self) -> None:
        """Ask all runs to stop after their current step."""
        for control in tuple(self.running):
            control.request_drain()


async def work(desk: Desk, incident_id: str, job: int, after: str = "") -> None:
    """Investigate the incident for this job, once, however many workers it takes; or with the models, after the
    offline analyst's investigation of this id.

    Raises GraphDrained or RetryLater when the job is to come back, FencedOff when it is another worker's.
    """
    held = await _claim(desk, incident_id, job, after)
    if isinstance(held, Held):
        with desk.heart.keeps(held), followed(held.investigation, incident_id) as follow:
            reported = await _settled(desk, held, follow)
    else:
        log.info("%s: nothing to do: %s", incident_id, held.value)
        reported = held is Nothing.UNTOLD
    if reported:
        await _notify(desk, incident_id)


async def _claim(desk: Desk, incident_id: str, job: int, after: str) -> Held | Nothing:
    house = desk.house
    asked = Asked(
        incident_id, job, uuid.uuid4().hex, house.contract.sha256, house.fingerprint, house.settings.lease_seconds,
        house.settings.most_crashes, after,
    )  # fmt: skip
    return await house.database.patiently(lambda c: claim(c, asked), house.settings.patience_seconds)


async def _settled(desk: Desk, held: Held, follow: Followed) -> bool:
    """Run to the report, or let go of the run in the way that its end asks for. Whether there is a report."""
    settings = desk.house.settings
    storm = timedelta(seconds=settings.group_window_seconds), settings.storm_incidents
    writer = Writer(desk.house.database, held, settings.patience_seconds, storm)
    try:
        log.info("%s: version %d %s", held.incident_id, held.version, "is gone on with" if held.goes_on else "begins")
        if held.hopeless:
            return await _stands(desk, writer, held.hopeless)
        outcome = await _run(desk, held, writer, follow)
        if outcome.failed:
            return await _stands(desk, writer, outcome.failed, outcome.report)
        await writer.report(outcome, settings.lang, hands_on=bool(desk.house.models) and not held.after)
        log.info("%s: version %d: %s", held.incident_id, held.version, outcome.report.diagnosis.verdict)
    except (GraphDrained, RetryLater, asyncio.CancelledError):
        await writer.release()
        raise
    except FencedOff:
        raise
    except Exception as exc:  # the job loop: a fault of ours in one incident must not end the worker
        log.exception("%s: the investigation %s failed", held.incident_id, held.investigation)
        why = f"{type(exc).__name__}: {exc}"[:500]
        if not await writer.failed(why, settings.most_crashes):
            raise RetryLater(f"{held.incident_id}: {exc}") from exc
        return await _stands(desk, writer, why) if held.after else False
    return True


async def _stands(desk: Desk, writer: Writer, why: str, report: Report | None = None) -> bool:
    """The models gave nothing: the first report stands and says why. There is nothing new to tell."""
    if report is None:
        second = configured(desk.house.models)
        report = stands(await writer.first(), second.name if second else "a model", why, ())
    await writer.stands(report, why, desk.house.settings.lang)
    log.warning("the second pass gave nothing, the first report stands: %s", why)
    return False


async def _run(desk: Desk, held: Held, writer: Writer, follow: Followed) -> Outcome:
    """Load the incident and run the graph over it."""
    house = desk.house
    incident = await _load(house, held.incident_id)
    clock = await steady_clock(house.database, house.settings.patience_seconds)
    if house.settings.evidence is None:
        incident = replace(seen_from(incident, clock()), seen=machines(house.settings))
    ledger = Ledger(follow.keeping(writer.call))
    second, first = await _second(desk, held, writer, ledger)
    ledger.restore(await writer.earlier())
    servers = Servers(await asyncio.to_thread(desk.targets, house, incident))
    try:
        async with Progress(writer).written() as progress:
            notice = _both(_both(progress, follow.notice), desk.watch)
            notice("resumed" if held.goes_on else "taken", held.incident_id)
            order = Order(
                incident, caller=Caller("", identity="worker", entry="webhook"), id=held.investigation,
                notice=notice, ledger=ledger, started_at=held.started_at, clock=clock, second=second, first=first,
            )  # fmt: skip
            return await investigate(house, order, servers, _runner(desk, held))
    finally:
        await servers.close()


async def _second(desk: Desk, held: Held, writer: Writer, ledger: Ledger) -> tuple[Second | None, Report | None]:
    """The models, and the report that they come after; its calls open the ledger. Nothing in a first pass."""
    if not held.after:
        return None, None
    second = configured(desk.house.models)
    if second is None:
        raise RetryLater("no model is configured here")
    ledger.restore(await writer.earlier(held.after))
    ledger.begin_pass()
    return replace(second, keep=writer.reply, said=await writer.replies()), await writer.first()


def _runner(desk: Desk, held: Held) -> Run:
    """Runs the graph with checkpoints: from its start, or from where an earlier worker was."""

    async def run(start: Start, context: Work) -> dict[str, Json]:
        house, control = desk.house, RunControl()
        saver = FencedSaver(house.database, held.investigation, held.token, house.settings.patience_seconds)
        graph, config = build_graph(saver), {"configurable": {"thread_id": held.investigation}}
        known = await graph.aget_state(config)
        if known.created_at and not known.next:
            return dict(known.values)
        given = None if known.created_at else start
        desk.running.add(control)
        if desk.stop.is_set():  # before there was anything to drain
            control.request_drain()
        try:
            # sync: a step's calls are stored after the state that asks for them, never before it
            end = await graph.ainvoke(given, config, context=context, durability="sync", control=control)
        finally:
            desk.running.discard(control)
        return dict(end)

    return run


async def _load(house: House, incident_id: str) -> Incident:
    stored = await house.database.patiently(lambda c: incidents.get(c, incident_id), house.settings.patience_seconds)
    if stored is None:
        raise FencedOff(f"the incident {incident_id} is gone")
    return stored.incident


async def _notify(desk: Desk, incident_id: str) -> None:
    """Tell of the report, and write down that it was told: a worker lost in between tells again."""
    database, patience = desk.house.database, desk.house.settings.patience_seconds
    stored = await database.patiently(lambda c: reports.latest(c, incident_id), patience)
    if stored is not None:
        told = stored.investigation
        await desk.notify(stored)
        await database.patiently(lambda c: investigations.notified(c, told), patience)


def _both(first: Notice, second: Notice) -> Notice:
    def notice(what: str, whom: str) -> None:
        first(what, whom)
        second(what, whom)

    return notice
