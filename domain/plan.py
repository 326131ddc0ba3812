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
