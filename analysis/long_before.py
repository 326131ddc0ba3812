"""What a machine was like long before the alert: settings that are there from its start, programs that run for long."""

from datetime import timedelta
from typing import Final

from analysis.case import Case
from domain.diagnosis import Hypothesis
from domain.evidence import Finding

LONG: Final = timedelta(hours=1)  # before the alert
SETTINGS: Final = ("setting", "interface", "route")  # kinds of facts that stay as they are until somebody changes them
_CERTAIN: Final = 0.8  # what weighs as much is wrong, however long it was there


def stood(case: Case, hypothesis: Hypothesis) -> bool:
    """Whether all that speaks for it was there long before the alert, on a machine as it is now."""
    own = [finding for finding in hypothesis.findings if not finding.only_advised]
    return bool(case.incident.seen and own) and all(_stood(case, finding) for finding in own)


def _stood(case: Case, finding: Finding) -> bool:
    if finding.weight >= _CERTAIN or finding.onset is not None:
        return False
    kind = _fact_of(case, finding)
    if kind in SETTINGS:
        changed = (change.entity for change in case.changes if change.kind == "config")
        return not any(case.inventory.same(of, finding.entity) for of in changed)
    return kind == "process" and _runs_long(case, finding.entity)


def _fact_of(case: Case, finding: Finding) -> str:
    """The kind of fact that the finding's signature tests."""
    name, _, identity = finding.signature.partition("/")
    runbook = case.by_fault.get(finding.kind)
    if runbook is None or runbook.name != name:
        return ""
    return next((each.state.fact for each in runbook.signatures if each.id == identity and each.state), "")


def _runs_long(case: Case, of: str) -> bool:
    """Whether all processes of the name began long before the alert, as far as is told."""
    since = (case.incident.window.end - case.incident.fired_at + LONG).total_seconds()
    told = (
        fact.attributes.get("elapsed_seconds") for fact in case.facts if (fact.kind, fact.entity) == ("process", of)
    )
    ages = [age for age in told if isinstance(age, int | float)]
    return bool(ages) and min(ages) > since
