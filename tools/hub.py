"""The tool hub: the only way to a tool. Every call passes STAGES in order, and `record` wraps all of it."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.codec import Json, digest
from domain.errors import ToolError
from domain.evidence import Coverage
from domain.tool import Caller, ToolResult
from tools.call import Governance, Limits, Passing
from tools.ledger import Ledger
from tools.stages import authorize, budget, execute, redact, resolve, transform, validate

log = logging.getLogger(__name__)
STAGES: Final = (resolve, authorize, validate, execute, redact, transform, budget)


@dataclass(frozen=True)
class Ask:
    """One call an agent or node wants made."""

    tool: str
    arguments: dict[str, Json]


class Hub:
    """Makes the governed calls of one investigation. Never raises for a failed call: its result says why."""

    def __init__(self, by: Governance, ledger: Ledger) -> None:
        self._by = by
        self.ledger = ledger

    async def call(self, caller: Caller, tool: str, arguments: dict[str, Json]) -> ToolResult:
        """One call as a turn of its own."""
        return (await self.turn(caller, [Ask(tool, arguments)]))[0]

    async def turn(self, caller: Caller, asks: Sequence[Ask], limits: Limits | None = None) -> list[ToolResult]:
        """Calls made side by side, in one turn's budget; results in the order of the asks. `limits` are the caller's
        own, where its window holds less than the settings allow."""
        allowance = self._allowance(caller.agent, len(asks), limits or self.limits)
        calls = [Passing(self.ledger.next_id(caller.agent), caller, ask.tool, ask.arguments, allowance) for ask in asks]
        return list(await asyncio.gather(*(self._record(call) for call in calls)))

    @property
    def limits(self) -> Limits:
        """The budgets that the settings give."""
        return self._by.limits

    def _allowance(self, agent: str, calls: int, limits: Limits) -> int:
        """Each call's share: of a result's, the turn's and the agent's budget the least. Fair, and free of races."""
        turn = limits.result_chars * limits.turn_results // max(calls, 1)
        left = (limits.agent_chars - self.ledger.spent(agent)) // max(calls, 1)
        return max(limits.floor_chars, min(limits.result_chars, turn, left))

    async def _record(self, call: Passing) -> ToolResult:
        started, begun = time.time(), time.monotonic()
        try:
            result = self._succeeded(await self._pass(call))
        except ToolError as exc:
            result = self._failed(call, exc)
        except Exception as exc:  # the outermost step: a fault of ours must not end the investigation
            log.exception("%s: %s failed inside the hub", call.call_id, call.tool)
            result = self._failed(call, ToolError(f"{call.tool} failed inside fishbone: {type(exc).__name__}: {exc}"))
        result = replace(result, seconds=round(time.monotonic() - begun, 6), version=self._version(call.tool))
        await self.ledger.add(call.caller, result, started)
        return result

    async def _pass(self, call: Passing) -> Passing:
        for stage in STAGES:
            call = await stage(call, self._by)
        return call

    def _succeeded(self, call: Passing) -> ToolResult:
        covered, asked = coverage_of(call), self._by.redactor.redact_json(call.arguments)
        return ToolResult(
            call.call_id, call.tool, asked, covered.status, call.data, call.text, digest(call.data),
            coverage=covered, truncated=call.truncated, redactions=call.redactions,
        )  # fmt: skip

    def _failed(self, call: Passing, exc: ToolError) -> ToolResult:
        said = self._by.redactor.redact(str(exc))
        asked = self._by.redactor.redact_json(call.arguments)
        return ToolResult(
            call.call_id, call.tool, asked, exc.status, text=f"{exc.status}: {said}", error=said, sha256=digest(None),
            coverage=Coverage(call.call_id, call.tool, exc.status),
        )  # fmt: skip

    def _version(self, tool: str) -> str:
        spec = self._by.registry.get(tool)
        return spec.version if spec else ""


def coverage_of(call: Passing) -> Coverage:
    """What the result says it searched; a result that matched nothing is `no_data`."""
    searched = call.data.get("searched") if isinstance(call.data, dict) else None
    if not isinstance(searched, dict):
        return Coverage(call.call_id, call.known.server, "ok" if call.data else "no_data")
    matched = searched.get("matched")
    return Coverage(
        call.call_id, str(searched.get("source", "")), "no_data" if matched == 0 else "ok",
        str(searched.get("window", "")), str(searched.get("filter", "")), matched, searched.get("returned"),
        bool(searched.get("truncated")),
    )  # fmt: skip
