"""What people are told: a first word, and the report's first screen, each with its links."""

import re
from dataclasses import dataclass, field
from typing import Final

from domain.codec import Json
from report.escape import words
from store.incidents import StoredIncident
from store.notifications import FIRST, REPORT, RESOLVED
from store.reports import StoredReport

LINES: Final = 20  # of a report that a message shows: its first screen
_TITLE: Final = 120


@dataclass(frozen=True)
class Message:
    """One message, the same for every channel."""

    what: str  # first | report | resolved
    incident_id: str
    version: int  # of the report
    title: str
    text: str  # markdown
    payload: dict[str, Json] = field(default_factory=dict)  # for machines
    report: StoredReport | None = None


def links(base_url: str, incident_id: str) -> dict[str, Json]:
    """Where the pages are; nothing where nobody said where people reach them."""
    base = base_url.rstrip("/")
    page = f"{base}/incidents/{incident_id}"
    return {"incident": page, "markdown": f"{page}/report.md", "json": f"{page}/report.json"} if base else {}


def first_word(stored: StoredIncident, base_url: str) -> Message:
    """Somebody is at it."""
    incident = stored.incident
    told = words(incident.title, _TITLE) or incident.id
    count = len(incident.alerts)
    number = f"{count} alert" + ("" if count == 1 else "s")
    text = f"fishbone is investigating **{told}** ({number}, fired {incident.fired_at:%Y-%m-%d %H:%M:%S} UTC)."
    where = links(base_url, incident.id)
    return Message(
        FIRST, incident.id, 0, f"investigating: {told}", _with_link(text, where, "progress"),
        {"event": "investigating", "text": text, "links": where, "incident": {
            "id": incident.id, "title": incident.title, "fired_at": f"{incident.fired_at:%Y-%m-%dT%H:%M:%SZ}",
            "alerts": count}},
    )  # fmt: skip


def last_word(stored: StoredIncident, base_url: str) -> Message:
    """All its alerts are over."""
    incident = stored.incident
    told, where = words(incident.title, _TITLE) or incident.id, links(base_url, incident.id)
    text = f"**{told}** is over: all its alerts are resolved."
    return Message(
        RESOLVED, incident.id, 0, f"resolved: {told}", _with_link(text, where, "the incident"),
        {"event": "resolved", "text": text, "links": where, "incident": {
            "id": incident.id, "title": incident.title, "fired_at": f"{incident.fired_at:%Y-%m-%dT%H:%M:%SZ}",
            "alerts": len(incident.alerts)}},
    )  # fmt: skip


def report_word(stored: StoredReport, base_url: str) -> Message:
    """The report is there: its first screen."""
    document = stored.report
    told = words(str(document["incident"].get("title", "")), _TITLE) or stored.incident_id
    text, where = first_screen(stored.markdown), links(base_url, stored.incident_id)
    incident = {name: document["incident"].get(name) for name in ("id", "title", "fired_at")}
    summary = {name: document.get(name) for name in ("verdict", "root_cause", "next_check", "actions")}
    return Message(
        REPORT, stored.incident_id, stored.version, f"{_verdict(document)}: {told}",
        _with_link(text, where, "the whole report"),
        {"event": "report", "text": text, "links": where, "incident": incident | {"id": stored.incident_id},
         "report": summary | {"version": stored.version, "investigation": stored.investigation}},
        stored,
    )  # fmt: skip


def first_screen(markdown: str) -> str:
    """The lines above the first section."""
    lines = re.split(r"\n(?=## )", markdown, maxsplit=1)[0].splitlines()
    return "\n".join(lines[:LINES]).strip()


def _verdict(document: dict[str, Json]) -> str:
    cause = document.get("root_cause") or {}
    if document.get("verdict") == "root_cause" and cause:
        return f"{words(str(cause.get('entity')), _TITLE)} {cause.get('fault')}"
    return str(document.get("verdict", ""))


def _with_link(text: str, where: dict[str, Json], what: str) -> str:
    return f"{text}\n\n[{what}]({where['incident']})" if where else text
