"""Sessions with MCP servers. Each has an owner task, since a session may only be left by the task that entered it."""

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx2
from mcp import Client, MCPError
from mcp.types import CallToolResult, TextContent, Tool

from domain.codec import Json
from domain.errors import ToolError, ToolNotFound, ToolTimeout, ToolUnavailable
from domain.tool import Access, ToolSpec
from tools.call import Passing
from tools.foreign import check_pin, data_of, foreign_specs
from tools.merge import merged
from tools.targets import MOST_BYTES, Foreign, connection, is_own_process
from tools.targets import Target as Target

log = logging.getLogger(__name__)
META = "fishbone"  # the key under which mcp_servers.governed keeps a tool's facts
OPEN_SECONDS: Final = 12.0  # for a server to be reached, or a program to start
_CLOSE_SECONDS: Final = 6.0  # the SDK kills a program that hangs after 4 s; one given up before that runs on
_ALIVE_SECONDS: Final = 2.0  # for a server that left a call unanswered to show that it lives
_SHARE: Final = 0.8  # of a call's time that one of several hosts may take
_LEFT: Final = (MCPError, RuntimeError, OSError, ValueError, httpx2.HTTPError, ExceptionGroup)


class Session:
    """One server's session. A session that broke, or whose server went silent, is opened anew by the next call."""

    def __init__(self, name: str, target: Target) -> None:
        self.name = name
        self.target = target
        self._client: Client | None = None
        self._owner: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        self._renewing: asyncio.Task[None] | None = None
        self._parting: set[asyncio.Task[None]] = set()
        self._doubtful = False  # a call failed or was given up; the server may be dead or hang

    async def client(self) -> Client:
        """The open client. Raises ToolUnavailable.

        Opening goes on when the call that began it is given up: a program may take longer to start than a call may.
        """
        if self._renewing is None and (self._doubtful or not self._is_open()):
            self._renewing = asyncio.create_task(self._renew(), name=f"mcp-open-{self.name}")
            self._renewing.add_done_callback(_heard)
        if self._renewing is not None:
            await asyncio.shield(self._renewing)
        if self._client is None:
            raise ToolUnavailable(f"the server {self.name} does not answer")
        return self._client

    def _is_open(self) -> bool:
        return self._client is not None and self._owner is not None and not self._owner.done()

    async def _renew(self) -> None:
        try:
            if self._doubtful and self._is_open() and not await self._is_alive():
                self._part()  # a process that hangs takes seconds to end; nobody waits for that
            self._doubtful = False
            if not self._is_open():
                await self._open()
        finally:
            self._renewing = None

    async def _is_alive(self) -> bool:
        """Whether the server answers anything at all; one of our own process always does."""
        if is_own_process(self.target) or self._client is None:
            return True
        asking = asyncio.create_task(self._client.list_tools())
        await asyncio.wait({asking}, timeout=_ALIVE_SECONDS)
        alive = asking.done() and not asking.cancelled() and asking.exception() is None
        _forget(asking)
        return alive

    async def _open(self) -> None:
        self._client, self._leave = None, asyncio.Event()
        ready = asyncio.Event()
        owner = self._owner = asyncio.create_task(self._own(ready, self._leave), name=f"mcp-{self.name}")
        owner.add_done_callback(_heard)
        waiting = asyncio.create_task(ready.wait())
        try:
            await asyncio.wait({waiting, owner}, timeout=OPEN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            if not ready.is_set():
                owner.cancel()
        if not ready.is_set():
            raise self._unreached(owner)

    def _unreached(self, owner: asyncio.Task[None]) -> ToolUnavailable:
        reason = _inner(owner.exception()) if owner.done() and not owner.cancelled() else None
        if isinstance(reason, ToolUnavailable):
            return reason
        said = _innermost(reason) if reason else f"it did not answer within {OPEN_SECONDS:g} s"
        failure = ToolUnavailable(f"the server {self.name} could not be reached: {said}")
        failure.__cause__ = reason
        return failure

    async def _own(self, ready: asyncio.Event, leave: asyncio.Event) -> None:
        async with Client(connection(self.target)) as client:
            if isinstance(self.target, Foreign):
                check_pin(self.name, (await client.list_tools()).tools, self.target.pin)
            self._client = client
            ready.set()
            await leave.wait()

    async def tools(self) -> list[Tool]:
        """What the server offers. Raises ToolUnavailable."""
        client, owner = await self.client(), self._owner
        asking = asyncio.create_task(client.list_tools())
        offered = list((await self._answered(asking, owner, OPEN_SECONDS)).tools)
        if is_own_process(self.target):
            # Our own server has just made the result of the very type that the schema is of; to check that once more
            # with a JSON Schema took more time than all else in a replay. Others are checked.
            client.session._tool_output_schemas.update(dict.fromkeys((tool.name for tool in offered), None))
        return offered

    async def call(self, tool: str, arguments: dict[str, Json]) -> CallToolResult:
        """Call a tool, racing the session's death. Raises ToolUnavailable."""
        client, owner = await self.client(), self._owner
        result: CallToolResult = await self._answered(
            asyncio.create_task(client.call_tool(tool, arguments)), owner, None
        )
        return result

    async def _answered(
        self, asking: asyncio.Task[Any], owner: asyncio.Task[None] | None, seconds: float | None
    ) -> Any:
        try:
            await asyncio.wait(
                {asking, owner} if owner else {asking}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if not asking.done():
                self._doubtful = True
                raise ToolUnavailable(f"the server {self.name} went away during the call")
            return asking.result()
        except asyncio.CancelledError:  # given up by the hub at its time-out, or broken inside the session
            self._doubtful = True
            if asking.cancelled():
                raise ToolUnavailable(f"the server {self.name} broke off the call") from None
            raise
        except _LEFT as exc:  # RuntimeError: a result that breaks the server's own schema
            self._doubtful = True
            raise ToolUnavailable(f"{self.name}: {_innermost(exc)}") from exc
        finally:
            _forget(asking)

    async def close(self) -> None:
        """Leave the session."""
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.wait({self._renewing})
        self._part()
        if self._parting:
            await asyncio.wait(self._parting)

    def _part(self) -> None:
        """Leaves the session that is open, in the background."""
        self._leave.set()
        owner, self._owner, self._client = self._owner, None, None
        if owner is not None:
            parting = asyncio.create_task(_parted(self.name, owner))
            self._parting.add(parting)
            parting.add_done_callback(self._parting.discard)


async def _parted(name: str, owner: asyncio.Task[None]) -> None:
    """Waits for an owner to come out; one that does not is left behind."""
    _, late = await asyncio.wait({owner}, timeout=_CLOSE_SECONDS)
    if late:
        owner.cancel()
        await asyncio.wait({owner}, timeout=_CLOSE_SECONDS)
    if owner.done() and not owner.cancelled() and (failure := owner.exception()) is not None:
        log.debug("%s: left with %s", name, _innermost(failure))


def _forget(task: asyncio.Task[Any]) -> None:
    """Nobody waits for the task any more, nor for its error."""
    task.cancel()
    task.add_done_callback(_heard)


def _heard(task: asyncio.Task[Any]) -> None:
    """Its error is known to whoever waited, or to nobody."""
    if not task.cancelled():
        task.exception()


class Servers:
    """All sessions of one investigation; the live source of the hub."""

    def __init__(self, targets: Mapping[str, Target]) -> None:
        self._sessions = {name: Session(name, target) for name, target in targets.items()}
        self._owners: dict[str, list[str]] = {}  # tool -> servers that offer it, those of this process first
        self._foreign: dict[str, str] = {}  # tool of a foreign server -> what that server calls it
        self.problems: tuple[str, ...] = ()  # servers of other processes that could not be used, and why

    async def specs(self) -> dict[str, ToolSpec]:
        """Every tool by name. Raises ToolUnavailable for a server of this process; others are left out and told."""
        offered = await asyncio.gather(*(self._offered(session) for session in self._sessions.values()))
        found: dict[str, ToolSpec] = {}
        problems: list[str] = []
        self._owners = {}
        for (name, session), tools in zip(self._sessions.items(), offered, strict=True):
            if isinstance(tools, ToolError):
                problems.append(str(tools))
                continue
            for spec in self._specs_of(session, tools):
                found.setdefault(spec.name, spec)
                self._owners.setdefault(spec.name, []).append(name)
        self.problems = tuple(problems)
        return found

    async def _offered(self, session: Session) -> list[Tool] | ToolError:
        try:
            return await session.tools()
        except ToolError as exc:
            if is_own_process(session.target):
                raise
            log.warning("%s", exc)
            return exc

    def _specs_of(self, session: Session, tools: list[Tool]) -> list[ToolSpec]:
        if not isinstance(session.target, Foreign):
            return [spec_of(session.name, tool) for tool in tools]
        specs, names = foreign_specs(session.name, tools, session.target)
        clash = sorted(specs.keys() & (self._owners.keys() | self._foreign.keys() - names.keys()))
        if clash:
            raise ToolNotFound(
                f"{session.name}: its tool {clash[0]} has the name of another; call the server otherwise"
            )
        self._foreign |= names
        return list(specs.values())

    async def answer(self, call: Passing) -> Json:
        """Ask the server that owns the tool; where several hosts do, all of them."""
        owners = self._owners.get(call.tool) or [call.known.server]
        if len(owners) == 1:
            return await self._ask(owners[0], call)
        answers = await asyncio.gather(*(self._ask_one_of(owner, call) for owner in owners))
        return merged(dict(zip(owners, answers, strict=True)))

    async def _ask_one_of(self, server: str, call: Passing) -> Json | ToolError:
        seconds = call.known.timeout_seconds * _SHARE
        try:
            async with asyncio.timeout(seconds):
                return await self._ask(server, call)
        except TimeoutError:
            return ToolTimeout(f"{call.tool} gave no answer within {seconds:g} s")
        except ToolError as exc:
            return exc

    async def _ask(self, server: str, call: Passing) -> Json:
        session = self._sessions[server]
        result = await session.call(self._foreign.get(call.tool, call.tool), call.arguments)
        if result.is_error:
            raise ToolUnavailable(f"{call.tool}: {' '.join(_texts(result.content))[:300]}")
        if is_own_process(session.target):
            return result.structured_content
        _must_be_short(call.tool, result)
        if isinstance(session.target, Foreign):
            return data_of(result.structured_content, _texts(result.content))
        return result.structured_content

    async def close(self) -> None:
        """Leave all sessions."""
        await asyncio.gather(*(session.close() for session in self._sessions.values()))


def spec_of(server: str, tool: Tool) -> ToolSpec:
    """The registry's entry for a tool of our own. Raises ToolNotFound when it does not state its facts."""
    facts: dict[str, Any] | None = (tool.meta or {}).get(META)
    if facts is None:
        raise ToolNotFound(f"the tool {tool.name} of {server} does not state its access; it cannot be used")
    return ToolSpec(
        tool.name, server, tool.description or "", tool.input_schema, Access(facts["access"]), facts["risk"],
        float(facts["timeout_seconds"]), int(facts["retries"]), int(facts["budget_chars"]), tuple(facts["roles"]),
        facts["view"], facts.get("version", "1"),
    )  # fmt: skip


def _must_be_short(tool: str, result: CallToolResult) -> None:
    """Raises ToolUnavailable for an answer that nobody could read."""
    long = sum(len(text) for text in _texts(result.content))
    if long <= MOST_BYTES and result.structured_content is not None and not long:
        long = len(json.dumps(result.structured_content, ensure_ascii=False))
    if long > MOST_BYTES:
        raise ToolUnavailable(f"{tool}: the answer of {long} characters is longer than {MOST_BYTES}; ask for less")


def _texts(content: Sequence[object]) -> list[str]:
    return [part.text for part in content if isinstance(part, TextContent)]


def _inner(exc: BaseException | None) -> BaseException | None:
    """The first error inside the groups that task groups make of them."""
    while isinstance(exc, BaseExceptionGroup):
        exc = exc.exceptions[0]
    return exc


def _innermost(exc: BaseException) -> str:
    found = _inner(exc)
    return " ".join(str(found).split())[:300] or type(found).__name__
