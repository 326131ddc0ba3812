"""The task as a model reads it: the same facts as in the JSON of the task, in fewer tokens."""

from typing import Final

from analysis.timestamps import format_time
from domain.alert import Alert
from domain.plan import Task

FENCE: Final = "untrusted-alert"  # a stranger may have written an alert's text


def briefing(task: Task) -> str:
    """What is to be found out about which alerts; their labels and annotations word for word."""
    lines = [
        f"Incident {task.incident}: {task.title}",
        f"Fired at {task.fired_at}; evidence from {format_time(task.window.start)} to {format_time(task.window.end)}; "
        f"stamps without a zone are {task.timezone}.",
        f"About: {', '.join(task.entities) or 'what the alerts name'}",
        *(_alert(alert) for alert in task.alerts),
        *(f"Find out: {question}" for question in task.questions),
    ]
    return "\n".join(lines)


def _alert(alert: Alert) -> str:
    since = f" since {format_time(alert.starts_at)}" if alert.starts_at else ""
    told = [f"{alert.name} ({alert.severity}, {alert.status.value}{since})"]
    told += [f"{name}={value}" for name, value in {**alert.labels, **alert.annotations}.items() if value != alert.name]
    text = "\n".join(told).replace(FENCE, "untrusted_alert")
    return f"<{FENCE}>\n{text}\n</{FENCE}>"
