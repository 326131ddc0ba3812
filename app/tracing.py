"""Follows one run: the trace id in the log, and OpenTelemetry spans of the run, its agents and its tool calls.

Only the API of OpenTelemetry is used here, which does nothing until `app.otel` has set up where spans go.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode

from app.logs import traced
from tools.ledger import Entry, Keep

trace_id: Final[ContextVar[int | None]] = ContextVar("trace_id", default=None)
_NANO: Final = 1_000_000_000
_HEX: Final = re.compile(r"[0-9a-f]{32}")
_FAILED: Final = ("error", "timeout", "unavailable")


class Followed:
    """The spans of one run."""

    def __init__(self, investigation: str, run: Span) -> None:
        self._investigation, self._run = investigation, run
        self._tracer = trace.get_tracer("fishbone")
        self._agents: dict[str, Span] = {}

    def notice(self, what: str, whom: str) -> None:
        """An agent begins or ends; everything else is an event of the run."""
        agent = whom.partition(" ")[0]
        if what == "agent_started":
            self._agents[agent] = self._start(f"agent {agent}", self._run)
            self._agents[agent].set_attribute("gen_ai.agent.name", agent)
        elif what == "agent_done" and agent in self._agents:
            self._agents[agent].end()
        elif what == "stage":
            self._run.add_event(f"stage {whom}")

    def keeping(self, keep: Keep) -> Keep:
        """The same keeper, and a span of each call that it keeps."""

        async def kept(entry: Entry) -> None:
            self._call(entry)
            await keep(entry)

        return kept

    def end(self) -> None:
        """Agents that were broken off end with the run."""
        for span in self._agents.values():
            if span.is_recording():
                span.end()

    def _call(self, entry: Entry) -> None:
        result, start = entry.result, int(entry.started_at * _NANO)
        span = self._start(f"tool {result.tool}", self._agents.get(entry.caller.agent, self._run), start)
        span.set_attributes(
            {"gen_ai.tool.name": result.tool, "fishbone.call_id": result.call_id, "fishbone.status": result.status}
        )
        if result.status in _FAILED:
            span.set_status(Status(StatusCode.ERROR, result.error[:200]))
        span.end(start + int(result.seconds * _NANO))

    def _start(self, name: str, parent: Span, start: int | None = None) -> Span:
        return self._tracer.start_span(name, trace.set_span_in_context(parent), start_time=start)


@contextmanager
def followed(investigation: str, incident: str) -> Iterator[Followed]:
    """The run meanwhile: its lines in the log carry its id, and its spans make one trace of that id."""
    mark = trace_id.set(_number(investigation))
    try:
        with (
            traced(investigation, incident),
            trace.get_tracer("fishbone").start_as_current_span(
                "investigation", attributes={"fishbone.investigation": investigation, "fishbone.incident": incident}
            ) as run,
        ):
            spans = Followed(investigation, run)
            try:
                yield spans
            finally:
                spans.end()
    finally:
        trace_id.reset(mark)


def _number(investigation: str) -> int:
    """The id itself where it has the form of a trace id, as all that we make have."""
    known = investigation if _HEX.fullmatch(investigation) else hashlib.sha256(investigation.encode()).hexdigest()[:32]
    return int(known, 16) or 1
