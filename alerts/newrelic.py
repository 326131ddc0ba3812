"""New Relic: workflow notifications, and the legacy incident webhook."""

from datetime import datetime
from typing import Final

from alerts import reading
from domain.alert import Alert
from domain.codec import Json

NAME: Final = "newrelic"
_ISSUE: Final = ("issueUrl", "issuePageUrl", "issueId", "issue_url", "alertConditionNames")
_LEGACY: Final = ("current_state", "policy_name", "incident_url", "violation_chart_url")


def knows(body: Json) -> bool:
    """A workflow's issue, or a legacy incident with its condition."""
    if not isinstance(body, dict):
        return False
    workflow = any(key in body for key in _ISSUE) and any(key in body for key in ("state", "priority"))
    return workflow or ("condition_name" in body and any(key in body for key in _LEGACY))


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert per issue or incident."""
    conditions = body.get("alertConditionNames")
    name = reading.first(
        body.get("condition_name"),
        *(conditions if isinstance(conditions, list) else [conditions]),
        body.get("title"),
        body.get("issueTitle"),
    )
    labels = {"alertname": name} | _entity(body) | reading.pick(body, ("policy_name", "workflowName", "account_name"))
    return [reading.alert(
        NAME, name, labels,
        {"summary": reading.first(body.get("details"), body.get("title"), name)}
        | reading.pick(body, ("runbook_url", "issueUrl", "incident_url")),
        level=reading.severity(body.get("severity"), body.get("priority")),
        state=reading.status(body.get("current_state"), body.get("state")),
        starts_at=reading.time(body.get("createdAt") or body.get("timestamp"), now),
        ends_at=reading.time(body.get("closedAt") or body.get("updatedAt") or body.get("timestamp"), now),
        identity=reading.first(body.get("incident_id"), body.get("id")),
    )]  # fmt: skip


def _entity(body: dict[str, Json]) -> dict[str, str]:
    impacted, targets = body.get("impactedEntities"), body.get("targets")
    names = list(impacted) if isinstance(impacted, list) else []
    names += [reading.at(one, "name") for one in targets] if isinstance(targets, list) else []
    name = reading.first(*names)
    return {"service": name} if name else {}
