"""plan: what each agent is to find out. Deterministic; a model may add to it, never replace it."""

from fnmatch import fnmatchcase

from langgraph.runtime import Runtime

from agents.files import AgentFile
from alerts.entities import entities
from analysis.lines.timestamps import format_time
from domain.alert import Incident
from domain.codec import from_plain, to_plain
from domain.plan import Plan, Task
from graph.context import Work
from graph.state import Investigation

QUESTIONS = {
    "log": "Which errors are new or bursting since {fired}, in which source, and which known faults do they show?",
    "metric": "Which series changed around {fired}, and where on the call graph did the change begin?",
    "infra": "In what state are {about} and what they run on, and what was changed before {fired}?",
    "runbook": "Which runbooks or past incidents answer {alerts}?",
}


async def plan(state: Investigation, runtime: Runtime[Work]) -> Investigation:
    """One task for each agent file."""
    incident = from_plain(Incident, state["incident"])
    runtime.context.notice("stage", "plan")
    tasks = tuple(_task(file, incident, runtime.context) for file in runtime.context.agents.values())
    return {"plan": to_plain(Plan(tasks))}


def _task(file: AgentFile, incident: Incident, work: Work) -> Task:
    about = tuple(dict.fromkeys(entity for alert in incident.alerts for entity in entities(alert)))
    fired = format_time(incident.fired_at)
    names = ", ".join(dict.fromkeys(alert.name for alert in incident.alerts)) or incident.title
    asked = QUESTIONS.get(file.name, file.purpose).format(
        fired=fired, about=", ".join(about[:5]) or "the alerted things", alerts=names
    )
    tools = tuple(t for pattern in file.tools for t in sorted(work.grants[file.name]) if fnmatchcase(t, pattern))
    return Task(
        file.name, incident.id, incident.title, incident.alerts, about, incident.window, fired, incident.timezone,
        (asked,), tuple(dict.fromkeys(tools)),
    )  # fmt: skip
