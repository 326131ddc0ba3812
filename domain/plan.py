"""What each agent is to find out."""

from dataclasses import dataclass

from domain.alert import Alert, Window


@dataclass(frozen=True)
class Task:
    """One agent's share of the plan; all that the agent is told."""

    agent: str
    incident: str
    title: str
    alerts: tuple[Alert, ...]
    entities: tuple[str, ...]  # what the alerts are about, best first
    window: Window
    fired_at: str  # RFC 3339; the moment to compare before and after with
    timezone: str
    questions: tuple[str, ...]
    tools: tuple[str, ...]  # candidate tools, best first


@dataclass(frozen=True)
class Plan:
    """The tasks of one investigation."""

    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class Look:
    """What root_cause has looked at so far, and what it wants looked at once more."""

    tasks: tuple[Task, ...] = ()  # of the second look; empty: there is none, or it is done
    calls: int = 0  # that root_cause had made by then
