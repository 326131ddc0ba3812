"""The task as a model reads it: the same facts as in the JSON of the task, in fewer tokens."""

from datetime import datetime
from math import ceil
from typing import Final

from analysis.lines.timestamps import format_time
from domain.alert import Alert
from domain.plan import Task

UNREADABLE: Final = ("generatorURL", "dashboardURL", "panelURL", "silenceURL")  # links that no tool opens
FENCE: Final = "untrusted-alert"  # a stranger may have written an alert's text


def briefing(task: Task) -> str:
    """What is to be found out about which alerts; their labels and annotations word for word."""
    lines = [
        f"Incident: {task.title}",
        f"Fired at {task.fired_at}; {_reach(task)}; stamps without a zone are {task.timezone}.",
        f"About: {', '.join(task.entities) or 'what the alerts name'}",
        *(_alert(alert, task.fired_at) for alert in task.alerts),
        *(f"Find out: {question.replace(task.fired_at, 'then')}" for question in task.questions),
    ]
    return "\n".join(lines)


def _reach(task: Task) -> str:
    """From when to when there is evidence, told by the distance: a stamp costs as much as a sentence."""
    if not task.fired_at:
        return f"there is evidence from {format_time(task.window.start)} to {format_time(task.window.end)}"
    fired = datetime.fromisoformat(task.fired_at)
    before, after = (fired - task.window.start).total_seconds(), (task.window.end - fired).total_seconds()
    return f"there is evidence from {_span(before)} before to {_span(after)} after"


def _span(seconds: float) -> str:
    return f"{ceil(seconds)} s" if abs(seconds) < 600 else f"{ceil(seconds / 60)} min"


def _alert(alert: Alert, fired_at: str) -> str:
    since = format_time(alert.starts_at) if alert.starts_at else fired_at
    began = "" if since == fired_at else f" since {since}"
    told = [f"{alert.name} ({alert.severity}, {alert.status.value}{began})"]
    known = (alert.name, alert.severity)
    told += [
        f"{name}={value}"
        for name, value in {**alert.labels, **alert.annotations}.items()
        if value not in known and name not in UNREADABLE
    ]
    text = "\n".join(told).replace(FENCE, "untrusted_alert")
    return f"<{FENCE}>\n{text}\n</{FENCE}>"
