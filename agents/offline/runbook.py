"""The runbook tactic: which runbooks answer the alerts, by name, by link, and by what they describe."""

from collections.abc import Iterator
from typing import Final

from agents.tactic import Call, Knowledge, Observation, ToolCalls
from domain.alert import Alert
from domain.codec import from_plain
from domain.evidence import PASSAGE, Citation, Evidence, Finding, Gap, Severity
from domain.plan import Task
from domain.results import Passage, Passages

AGENT: Final = "runbook"
SEARCH: Final = "runbooks_search"
QUERY_CHARS: Final = 600
# A runbook says what to look for, not what happened: it may add a hypothesis, and outweighs no signature that fired.
WEIGHTS: Final = {"alert_name": 0.2, "runbook_url": 0.2, "structural": 0.15}
_HOW: Final = {
    "alert_name": "answers the alert",
    "runbook_url": "is linked by the alert",
    "structural": "fits the alert",
}
_TOLD_BY: Final = ("summary", "description", "message")  # annotations that say what is wrong
_LINKS: Final = ("runbook_url", "runbook", "runbookUrl")
_MOST_ALERTS: Final = 20


def step(task: Task, observations: tuple[Observation, ...], knowledge: Knowledge) -> ToolCalls | Evidence:
    """One search by the alerts, then what it found."""
    if not observations:
        return ToolCalls((Call(SEARCH, _question(task)),))
    found: list[Finding] = []
    passages: list[Passage] = []
    for observation in observations:
        if observation.tool == SEARCH and observation.data is not None:
            result = from_plain(Passages, observation.data)
            found.extend(_findings(task, result, observation.call_id))
            passages.extend(result.passages)
    return Evidence(
        agent=AGENT,
        by="analyst",
        conclusion=_conclusion(passages),
        findings=tuple(found),
        gaps=tuple(_gaps(observations, passages)),
        passages=tuple(passages),
    )


def _question(task: Task) -> dict[str, str | list[str]]:
    names = [alert.name for alert in task.alerts if alert.name]
    links = (alert.annotations.get(key) or alert.labels.get(key) for alert in task.alerts for key in _LINKS)
    told = [task.title, *(text for alert in task.alerts for text in _told(alert))]
    asked: dict[str, str | list[str]] = {"query": " ".join(dict.fromkeys(told))[:QUERY_CHARS]}
    if names:
        asked["alerts"] = list(dict.fromkeys(names))[:_MOST_ALERTS]
    if link := next((link for link in links if link), ""):
        asked["url"] = link[:QUERY_CHARS]
    return asked


def _told(alert: Alert) -> Iterator[str]:
    yield from (alert.annotations[key] for key in _TOLD_BY if alert.annotations.get(key))


def _findings(task: Task, result: Passages, call_id: str) -> Iterator[Finding]:
    """A weak hint for each runbook that is meant by name; what only reads alike is left to root_cause."""
    about = task.entities[0] if task.entities else "service:unknown"
    alert = task.alerts[0].name if task.alerts else task.title
    for at, passage in enumerate(result.passages):
        if passage.fault and passage.how in WEIGHTS:
            yield Finding(
                entity=about,
                kind=passage.fault,
                statement=f"The runbook {passage.runbook} {_HOW[passage.how]} {alert}.",
                citations=(Citation(call_id, "runbooks", path=f"/passages/{at}/runbook", value=passage.runbook),),
                severity=Severity.INFO,
                weight=WEIGHTS[passage.how],
                signature=passage.runbook + PASSAGE,
            )


def _conclusion(passages: list[Passage]) -> str:
    if not passages:
        return "No runbook answers the alerts."
    best = passages[0]
    others = ", ".join(dict.fromkeys(each.runbook for each in passages[1:]))
    told = "answers the alert by its name" if best.how in WEIGHTS else "is the nearest to what the alerts say"
    return f"The runbook {best.runbook} {told}." + (f" Others that may help: {others}." if others else "")


def _gaps(observations: tuple[Observation, ...], passages: list[Passage]) -> Iterator[Gap]:
    yield from (Gap(each.tool, each.error or each.status) for each in observations if each.data is None)
    problems = dict.fromkeys(
        problem
        for each in observations
        if isinstance(each.data, dict)
        for problem in (each.data.get("searched") or {}).get("problems") or ()
    )
    yield from (Gap("runbooks", problem) for problem in problems)
    if not passages and not problems and any(each.data is not None for each in observations):
        yield Gap("runbooks", "no runbook fits the alerts", "their names, links and texts")
