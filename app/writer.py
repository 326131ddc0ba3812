"""All that a run writes. Every write carries the fencing token, and waits for a database that is away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from app.investigation import Outcome
from app.keep import ended, logged
from app.split import leaves_over, split
from bundle.recording import ReplyRecord
from domain.codec import Json, digest, from_plain, to_plain
from domain.diagnosis import Diagnosis
from domain.errors import FencedOff
from domain.evidence import Coverage
from domain.report import Report
from domain.tool import Caller, ToolResult
from graph.nodes.report import without_calls
from report.document import document
from report.markdown import markdown
from store import alerts, calls, claims, events, investigations, passes, reports, results, splits
from store.claims import Held
from store.database import Database
from tools.ledger import Entry

Said = tuple[str, Json]
_END: Final = ("", None)


class Writer:
    """The pen of one run."""

    def __init__(
        self, database: Database, held: Held, patience: float, storm: tuple[timedelta, int] = (timedelta(minutes=5), 10)
    ) -> None:
        self._database = database
        self._held = held
        self._patience = patience  # seconds
        self._storm = storm  # so many incidents within the window are one

    async def call(self, entry: Entry) -> None:
        """Keep a tool call and its result. Raises FencedOff."""
        call, result = logged(self._held.investigation, entry), entry.result

        async def write(connection: AsyncConnection[DictRow]) -> None:
            async with connection.transaction():
                await self._hold(connection)
                if result.data is not None:
                    await results.save(connection, result.sha256, result.data)
                await calls.add(connection, [call])

        await self._database.patiently(write, self._patience)

    async def say(self, *said: Said) -> None:
        """Keep events. Raises FencedOff."""
        held = self._held
        await self._database.patiently(
            lambda connection: events.append_all(connection, held.investigation, said, held.token), self._patience
        )

    async def report(self, outcome: Outcome, lang: str, *, hands_on: bool = False) -> None:
        """Keep the report and the end of the run, and ask for a second pass where one is to follow; all or nothing.
        Raises FencedOff."""
        told, held = outcome.document, self._held
        shown = await asyncio.to_thread(markdown, outcome.report, lang)
        verdict = {"version": held.version, "verdict": told["verdict"]}
        diagnosis = outcome.report.diagnosis
        edges = {(edge.caller, edge.callee) for each in outcome.report.evidence for edge in each.edges}

        async def write(connection: AsyncConnection[DictRow]) -> None:
            async with connection.transaction():
                splits_off = leaves_over(diagnosis)
                if splits_off:  # before any row is locked that whoever has this lock may wait for
                    await splits.lock(connection)
                await self._hold(connection)
                if splits_off:
                    await self._split(connection, diagnosis)
                await reports.save(connection, held.incident_id, held.version, held.investigation, told, shown)
                await events.append(connection, held.investigation, "report", verdict, held.token)
                await alerts.learn(connection, edges)
                await claims.ended(connection, held, ended(told))
                if hands_on:
                    plain = to_plain(without_calls(outcome.report))
                    await passes.hand_on(connection, held.incident_id, held.investigation, plain)

        await self._database.patiently(write, self._patience)

    async def stands(self, report: Report, why: str, lang: str) -> None:
        """The first pass's report stands, with the reason in it; the second pass has ended. Raises FencedOff."""
        held, plain = self._held, document(report)
        shown = await asyncio.to_thread(markdown, report, lang)
        failed = investigations.Outcome("failed", datetime.now(UTC), why[:500])

        async def write(connection: AsyncConnection[DictRow]) -> None:
            async with connection.transaction():
                await self._hold(connection)
                await passes.amend(connection, held.after, plain, shown)
                await events.append(connection, held.investigation, "stands", {"why": why[:500]}, held.token)
                await claims.ended(connection, held, failed)

        await self._database.patiently(write, self._patience)

    async def reply(self, record: ReplyRecord) -> None:
        """Keep what a model replied. Raises FencedOff."""
        plain, investigation = to_plain(record), self._held.investigation

        async def write(connection: AsyncConnection[DictRow]) -> None:
            async with connection.transaction():
                await self._hold(connection)
                await passes.add_reply(connection, investigation, record.agent, record.turn, record.request, plain)

        await self._database.patiently(write, self._patience)

    async def replies(self) -> tuple[ReplyRecord, ...]:
        """What the model replied to earlier workers in this run."""
        kept = await self._database.patiently(
            lambda connection: passes.replies(connection, self._held.investigation), self._patience
        )
        return tuple(from_plain(ReplyRecord, each) for each in kept)

    async def first(self) -> Report:
        """The report of the first pass, with its calls. Raises FencedOff where it is there no more."""
        handed = await self._database.patiently(
            lambda connection: passes.handed(connection, self._held.after), self._patience
        )
        if handed is None:
            raise FencedOff(f"what {self._held.investigation} was to go on from is there no more")
        made = await self.earlier(self._held.after)
        return replace(from_plain(Report, handed), calls=tuple(entry.result for entry in made))

    async def release(self) -> None:
        """Let go without a report, so that another worker goes on. Raises FencedOff."""
        held = self._held
        await self._database.patiently(
            lambda connection: investigations.release(connection, held.investigation, held.token), self._patience
        )

    async def failed(self, reason: str, most_crashes: int) -> bool:
        """Count a failure of ours; True when the incident is set aside for it. Raises FencedOff."""
        return await self._database.patiently(
            lambda connection: claims.failed(connection, self._held, most_crashes, reason), self._patience
        )

    async def earlier(self, of: str = "") -> tuple[Entry, ...]:
        """The calls that earlier workers made in this run, or those of another."""

        async def read(connection: AsyncConnection[DictRow]) -> tuple[Entry, ...]:
            made = await calls.of_investigation(connection, of or self._held.investigation)
            data = await results.load_all(connection, {call.result_sha256 for call in made if call.result_sha256})
            return tuple(_restored(call, data.get(call.result_sha256)) for call in made)

        return await self._database.patiently(read, self._patience)

    async def _split(self, connection: AsyncConnection[DictRow], diagnosis: Diagnosis) -> None:
        held = self._held
        other, count = await split(connection, held.incident_id, diagnosis.alerts, *self._storm)
        if other:
            said = {"incident": other, "alerts": count}
            await events.append(connection, held.investigation, "split", said, held.token)

    async def _hold(self, connection: AsyncConnection[DictRow]) -> None:
        await investigations.hold(connection, self._held.investigation, self._held.token)


class Progress:
    """What nodes and agents notice, written as events in that order while they go on."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._waiting: asyncio.Queue[Said] = asyncio.Queue()

    def __call__(self, what: str, whom: str) -> None:
        """Something happened."""
        self._waiting.put_nowait((what, {"of": whom}))

    @asynccontextmanager
    async def written(self) -> AsyncIterator["Progress"]:
        """Write meanwhile; all of it is written at the end. Raises FencedOff."""
        writing = asyncio.create_task(self._write(), name="progress")
        try:
            yield self
        finally:
            self._waiting.put_nowait(_END)
            await writing

    async def _write(self) -> None:
        more = True
        while more:
            said = [await self._waiting.get()]
            while not self._waiting.empty():
                said.append(self._waiting.get_nowait())
            more = _END not in said
            if told := [each for each in said if each is not _END]:
                await self._writer.say(*told)


def _restored(call: calls.LoggedCall, data: Json) -> Entry:
    """A call as it stood in the ledger of the worker that made it."""
    result = ToolResult(
        call.call_id, call.tool, call.arguments, call.status, data, call.text, call.result_sha256 or digest(None),
        call.error, from_plain(Coverage, call.coverage) if call.coverage else None, call.truncated, call.redactions,
        call.seconds, call.tool_version,
    )  # fmt: skip
    caller = Caller(call.agent, call.identity, entry=call.entry)
    return Entry(caller, result, call.started_at.timestamp())
