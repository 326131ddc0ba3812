"""Impact, timeline and causal chain: what happened, told forward."""

from datetime import datetime
from typing import Final

from domain.alert import Alert, AlertStatus
from domain.diagnosis import Hypothesis, Verdict
from domain.evidence import Finding
from report.escape import block, cell, code, words
from report.mermaid import flowchart
from report.moments import clock, offset
from report.page import Page, findings_of

MOMENTS: Final = 20  # rows of the timeline
FOLLOWS: Final = 6
GUESSES: Final = 5
ALERTS: Final = 12
Row = tuple[datetime, str]


def impact(page: Page) -> list[str]:
    """Which alerts, what they say, who is affected, what follows from the cause."""
    lines = [_alert(page, alert) for alert in page.report.incident.alerts[:ALERTS]]
    affected = dict.fromkeys(code(link.entity, 120) for link in (page.cause.chain if page.cause else ()))
    if affected:
        lines.append(f"- **{page.say['affected']}:** {', '.join(affected)}")
    told = {link.statement for link in page.cause.chain} if page.cause else set()
    follows = [other for other in page.cause.explains if other not in told][:FOLLOWS] if page.cause else []
    return lines + [f"- **{page.say['follows']}:** {words(other, 240)}" for other in follows]


def timeline(page: Page) -> list[str]:
    """The dated findings and the alerts, oldest first."""
    rows, fired = _moments(page), page.report.incident.fired_at
    if not rows:
        return [page.say["no_times"]]
    head = f"| {page.say['time']} | {page.say['distance']} | {page.say['what']} |"
    return [
        head,
        "| --- | ---: | --- |",
        *(f"| {clock(at, fired)} | {offset(at, fired)} | {what} |" for at, what in rows),
    ]


def chain(page: Page) -> list[str]:
    """The chain as a flowchart, and again in words with its citations."""
    cause = page.cause
    if cause is None:
        return [page.say["no_chain"], "", *(_guess(page, h) for h in page.guesses[:GUESSES])]
    links = [f"{n}. {page.told(ln.entity, ln.statement, ln.citations)}" for n, ln in enumerate(cause.chain, 1)]
    if page.report.diagnosis.verdict is not Verdict.ROOT_CAUSE:
        return links
    boxes = [(link.entity, link.statement) for link in cause.chain]
    boxes += [(page.say["alert"], alert.name) for alert in page.report.incident.alerts[:1]]
    return [block(flowchart(boxes), "mermaid"), "", *links]


def _guess(page: Page, guess: Hypothesis) -> str:
    reasons = "; ".join(words(reason, 120) for reason in guess.supports[:3] if reason != guess.summary)
    told = f"- {code(guess.fault, 80)} · {code(guess.entity, 120)} ({page.say['score']} {guess.score:.2f})"
    return f"{told}: {words(guess.summary, 240)}" + (f" ({reasons})" if reasons else "")


def _alert(page: Page, alert: Alert) -> str:
    status = page.say["resolved" if alert.status is AlertStatus.RESOLVED else "firing"]
    since = f", {clock(alert.starts_at, page.report.incident.fired_at)} UTC" if alert.starts_at else ""
    told = alert.annotations.get("summary") or alert.annotations.get("description") or ""
    said = f": {words(told, 200)}" if told.strip() else ""
    return f"- {code(alert.name, 100)} ({words(alert.severity, 30)}, {status}{since}){said}"


def _moments(page: Page) -> list[Row]:
    """The most telling dated findings, in order of time, with the alerts among them."""
    dated: dict[tuple[datetime, str, object], Finding] = {}
    for f in _by_weight(page):
        if f.onset:  # the same lines, told of a second thing, are no second moment
            lines = tuple((c.call_id, c.source, c.line, c.path) for c in f.citations)
            dated.setdefault((f.onset, f.statement, lines or f.entity), f)
    told = list(dated.items())[:MOMENTS]
    rows = [(at, page.told_in_cell(f.entity, f.statement, f.citations)) for (at, *_), f in told]
    for alert in page.report.incident.alerts[:ALERTS]:
        name = cell(alert.name, 80)
        if alert.starts_at:
            rows.append((alert.starts_at, f"**{page.say['alert_began'].format(name=name)}**"))
        if alert.ends_at:
            rows.append((alert.ends_at, f"**{page.say['alert_ended'].format(name=name)}**"))
    return sorted(dict.fromkeys(rows), key=lambda row: row[0])


def _by_weight(page: Page) -> list[Finding]:
    """What the cause rests on first, then the rest, the weightiest first."""
    rests = list(page.cause.findings) if page.cause else []
    shown = {(f.entity, f.statement) for f in rests}
    others = [f for f in findings_of(page.report) if (f.entity, f.statement) not in shown]
    return rests + sorted(others, key=lambda f: -f.weight)
