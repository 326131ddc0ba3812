"""GET /incidents and below: server-rendered pages, the reports as files, and progress as server-sent events."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from psycopg import AsyncConnection
from psycopg.rows import DictRow
from sse_starlette import EventSourceResponse, ServerSentEvent

from app.auth import COOKIE, Door
from app.limits import Bucket
from app.web.render import drawn, page_of, sections
from app.web.shown import STATUSES, VERDICTS, assets, page, told
from domain.codec import to_plain
from domain.errors import StoreUnavailable
from domain.report import Series
from domain.tool import ToolResult
from report.document import dump
from report.series import series_of
from store import alerts, calls, incidents, investigations, pages, reports, results
from store.database import Database
from store.events import Event
from store.incidents import StoredIncident
from store.reports import StoredReport

T = TypeVar("T")
POLL: Final = 0.7  # seconds between two looks for events
SLOWEST_STORE: Final = 8.0  # seconds that a page waits for the database
MOST_STREAMS: Final = 100
COOKIE_SECONDS: Final = 30 * 86400
_NEXT: Final = re.compile(r"/incidents[\w./?=&%-]*")
_NUMBER: Final = re.compile(r"\d{1,15}")


@dataclass
class NotShown(Exception):
    """There is nothing to show; the answer says why."""

    status: int
    what: str
    why: str


@dataclass
class Pages:
    """What people see."""

    database: Database
    door: Door
    stop: asyncio.Event  # streams end with the server
    guesses: Bucket
    streams: int = 0

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(include_in_schema=False)
        for path, shown in (
            ("/incidents", self.list), ("/incidents/{incident_id}", self.incident),
            ("/incidents/{incident_id}/report.md", self.report_md),
            ("/incidents/{incident_id}/report.json", self.report_json),
            ("/incidents/{incident_id}/events", self.events),
        ):  # fmt: skip
            router.add_api_route(path, self._behind_the_door(shown), methods=["GET"], response_model=None)
        router.add_api_route("/", lambda: RedirectResponse("/incidents", 303), methods=["GET"], response_model=None)
        router.add_api_route("/login", self.login, methods=["GET"], response_model=None)
        router.add_api_route("/login", self.sign_in, methods=["POST"], response_model=None)
        router.add_api_route("/logout", self.sign_out, methods=["POST"], response_model=None)
        router.add_api_route("/static/{name}", _asset, methods=["GET"], response_model=None)
        return router

    async def list(self, request: Request) -> Response:
        """The incidents, the latest first."""
        asked = _asked(request.query_params)
        lines, more = await self._read(lambda c: pages.incidents(c, asked))

        def link(number: int) -> str:
            given = {"q": asked.text, "status": asked.status, "verdict": asked.verdict, "page": number}
            return "/incidents?" + urlencode({key: value for key, value in given.items() if value})

        return self._html("incidents.html", lines=lines, more=more, asked=asked, link=link)

    async def incident(self, request: Request) -> Response:
        """One incident: its progress, its report, its alerts."""
        stored, name = await self._incident(request), request.path_params["incident_id"]
        report = await self._found(request)
        runs = await self._read(lambda c: investigations.of_incident(c, name))
        busy = await self._read(lambda c: pages.busy(c, name))
        said = await self._read(lambda c: pages.events(c, name)) if busy else ()
        last = next(iter(runs), None)
        current = [event for event in said if last and event.investigation == last.id and last.status == "running"]
        return self._html(
            "incident.html", stored=stored, incident=stored.incident, report=report, runs=runs, run=last, busy=busy,
            events=current, accounts=await self._read(lambda c: alerts.accounts(c, name)),
            came=await self._read(lambda c: alerts.of_incident(c, name, 100)),
            **(await self._rendered(stored, report) if report else {}),
        )  # fmt: skip

    async def report_md(self, request: Request) -> Response:
        """The report as markdown."""
        report = await self._report(request)
        return PlainTextResponse(report.markdown, media_type="text/markdown; charset=utf-8")

    async def report_json(self, request: Request) -> Response:
        """The report as JSON."""
        report = await self._report(request)
        return Response(dump(report.report), media_type="application/json")

    async def events(self, request: Request) -> Response:
        """What the runs of the incident said and say, from any event on; it ends when none goes on."""
        await self._incident(request)
        if self.streams >= MOST_STREAMS:
            raise NotShown(503, "Too many watch", "The page itself still works.")
        given = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
        after = int(given) if _NUMBER.fullmatch(given) else 0
        return EventSourceResponse(self._stream(request.path_params["incident_id"], after), ping=15)

    async def login(self, request: Request) -> Response:
        """The form that asks for the token."""
        return self._form(request.query_params.get("next", ""))

    async def sign_in(self, request: Request) -> Response:
        """Trade the token for a cookie."""
        async with request.form(max_files=0, max_fields=4, max_part_size=4096) as form:
            token, back = str(form.get("token", "")), str(form.get("next", ""))
        cookie = None if self.guesses.take() else self.door.cookie_for(token)
        if cookie is None:
            return self._form(back, "That is not the token.", 401)
        answer = RedirectResponse(back if _NEXT.fullmatch(back) else "/incidents", 303)
        secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, cookie, COOKIE_SECONDS, httponly=True, samesite="lax", secure=secure)
        return answer

    async def sign_out(self) -> Response:
        """Forget the cookie."""
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(COOKIE)
        return answer

    async def _stream(self, incident_id: str, after: int) -> AsyncIterator[ServerSentEvent]:
        self.streams += 1
        try:
            while not self.stop.is_set():
                busy = await self._read(lambda c: pages.busy(c, incident_id))  # asked first: nothing said is missed
                said = await self._said(incident_id, after)
                for event in said:
                    plain = {"at": to_plain(event.at), "text": told(event), "investigation": event.investigation,
                             "data": event.data}  # fmt: skip
                    after = event.id
                    yield ServerSentEvent(json.dumps(plain), event=event.kind, id=str(event.id))
                if not busy and not said:
                    yield ServerSentEvent("{}", event="end")
                    return
                await self._pause(0 if said else POLL)
        finally:
            self.streams -= 1

    async def _said(self, incident_id: str, after: int) -> tuple[Event, ...]:
        return await self._read(lambda c: pages.events(c, incident_id, after))

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self.stop.wait(), seconds)
        except TimeoutError:
            return

    async def _rendered(self, stored: StoredIncident, report: StoredReport) -> Mapping[str, Any]:
        """What the template needs of a report; long ones take a while, and the loop has others to serve."""
        lines = await self._series(report.investigation)
        fired_at = stored.incident.fired_at
        opening, rest = await asyncio.to_thread(lambda: sections(page_of(report.markdown, drawn(lines, fired_at))))
        return {"opening": opening, "sections": rest, "verdict": report.report.get("verdict", "")}

    async def _series(self, investigation: str) -> tuple[Series, ...]:
        """The lines of the charts, from the stored results that the report drew them from."""

        async def read(connection: AsyncConnection[DictRow]) -> tuple[Series, ...]:
            made = await calls.of_investigation(connection, investigation)
            points = [call for call in made if call.tool == "metrics_range" and call.result_sha256]
            data = await results.load_all(connection, {call.result_sha256 for call in points})
            return series_of(
                ToolResult(call.call_id, call.tool, call.arguments, call.status, data.get(call.result_sha256), "", "")
                for call in points
            )

        return await self._read(read)

    async def _incident(self, request: Request) -> StoredIncident:
        name = request.path_params["incident_id"]
        stored = await self._read(lambda c: incidents.get(c, name))
        if stored is None:
            raise NotShown(404, "No such incident", f"There is none with the id {name[:120]}.")
        return stored

    async def _report(self, request: Request) -> StoredReport:
        report = await self._found(request)
        if report is None:
            raise NotShown(404, "No report yet", "The incident is unknown, or still being investigated.")
        return report

    async def _found(self, request: Request) -> StoredReport | None:
        """The report of the version asked for, or the latest."""
        name, version = request.path_params["incident_id"], request.query_params.get("version", "")
        if not version:
            return await self._read(lambda c: reports.latest(c, name))
        if not _NUMBER.fullmatch(version) or int(version) >= 2**31:
            raise NotShown(404, "No such report", "A version is a number.")
        return await self._read(lambda c: reports.get(c, name, int(version)))

    async def _read(self, query: Callable[[AsyncConnection[DictRow]], Awaitable[T]]) -> T:
        try:
            async with asyncio.timeout(SLOWEST_STORE), self.database.connection() as connection:
                return await query(connection)
        except TimeoutError as exc:
            raise StoreUnavailable(f"the database did not answer within {SLOWEST_STORE:.0f} s") from exc

    def _behind_the_door(self, shown: Callable[[Request], Awaitable[Response]]) -> Any:
        async def guarded(request: Request) -> Response:
            if self.door.may_see(request.headers, request.cookies):
                try:
                    return await shown(request)
                except NotShown as nothing:
                    return self._nothing(request, nothing)
            if "text/html" in request.headers.get("accept", "") and self.door.settings.token is not None:
                back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
                return RedirectResponse(f"/login?{urlencode({'next': back})}", 303)
            headers = {"WWW-Authenticate": "Bearer"}
            return Response('{"error":"a bearer token is needed"}', 401, headers, "application/json")

        return guarded

    def _nothing(self, request: Request, nothing: NotShown) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return self._html("wrong.html", nothing.status, what=nothing.what, why=nothing.why)
        return Response(
            json.dumps({"error": f"{nothing.what}: {nothing.why}"}), nothing.status, None, "application/json"
        )

    def _form(self, back: str, wrong: str = "", status: int = 200) -> Response:
        return HTMLResponse(page("login.html", next=back if _NEXT.fullmatch(back) else "", wrong=wrong), status)

    def _html(self, template: str, status: int = 200, **values: Any) -> Response:
        return HTMLResponse(page(template, signed_in=self.door.settings.token is not None, **values), status)


def _asked(given: Mapping[str, str]) -> pages.Asked:
    number = given.get("page", "1")
    return pages.Asked(
        given.get("status") if given.get("status") in STATUSES else None,
        given.get("verdict") if given.get("verdict") in VERDICTS else None,
        given.get("q", "").strip()[:200] or None,
        max(1, int(number)) if _NUMBER.fullmatch(number) and len(number) < 7 else 1,
    )


async def _asset(name: str) -> Response:
    if name not in assets():
        return PlainTextResponse("not found\n", 404)
    kind, raw = assets()[name]
    return Response(raw, media_type=kind, headers={"Cache-Control": "public, max-age=31536000, immutable"})
