"""The change that a canary convicts: the one that the ill instances run and the well ones beside them do not."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Final

from analysis.case import Case
from domain.entity import entity
from domain.evidence import Finding, Severity
from domain.results import Change

FAULT: Final = "change.canary"
WEIGHT: Final = 0.9
OTHERS: Final = 0.3  # of what else was blamed: both releases have it
NEAR: Final = 0.8  # a canary of what the alert is about, or of what that needs
MINUTES: Final = 24 * 60.0  # a canary may run for a day
SLACK: Final = timedelta(seconds=90)  # a deploy is recorded when its roll-out ends
_SETTINGS: Final = re.compile(r"(?i)\.(?:ya?ml|json|toml|ini|conf|env|properties|cfg|tf|hcl)$")
_KINDS: Final = {"flag": "change.flag", "config": "change.config", "scale": "change.config", "commit": "change.commit"}


def convicted(case: Case) -> Case:
    """The case with the change that the ill release carries as the one to blame, and others stepped back."""
    told = [(finding, change) for finding in case.findings if finding.kind == FAULT and (change := _of(case, finding))]
    if not told:
        return case
    blamed = {_name(change) for _, change in told}
    near = any(case.near_alert(finding.entity) >= NEAR for finding, _ in told)  # else it explains nothing of the alert
    kept = tuple(
        replace(each, weight=min(each.weight, OTHERS)) if near and _is_other(each, blamed) else each
        for each in case.findings
    )
    return replace(case, findings=(*kept, *(_finding(case, finding, change) for finding, change in told)))


def _of(case: Case, finding: Finding) -> Change | None:
    """The deploy of the new release: the one that names it, else the latest before the trouble."""
    of = [each for each in case.changes if each.kind in ("deploy", "config", "flag") and _same(case, each, finding)]
    of = [each for each in of if not _too_late(each, finding)]
    new = re.compile(rf"(?i)(?<![a-z0-9.]){re.escape(finding.captures.get('new') or '?')}(?![a-z0-9]|\.\d)")
    naming = [each for each in of if new.search(f"{each.id} {each.commit} {each.summary} {each.entity}")]
    recent = [each for each in of if each.minutes_before is not None and 0 <= each.minutes_before <= MINUTES]
    deploys = [each for each in recent if each.kind == "deploy"]
    latest = sorted(deploys, key=lambda each: each.minutes_before or 0.0)[:1]
    return next(iter((*naming, *latest)), None)


def _too_late(change: Change, finding: Finding) -> bool:
    """Whether it came after the alert, or after the new release was ill already."""
    after = change.minutes_before is not None and change.minutes_before < 0
    return after or bool(finding.onset and change.time and change.time > finding.onset + SLACK)


def _same(case: Case, change: Change, finding: Finding) -> bool:
    names = {finding.captures.get("service", ""), f"{finding.captures.get('service')}-{finding.captures.get('new')}"}
    return change.entity in names or case.inventory.same(entity("service", change.entity or "?"), finding.entity)


def _name(change: Change) -> str:
    return entity("change", change.commit if change.kind == "deploy" and change.commit else change.id or "unknown")


def _is_other(finding: Finding, blamed: set[str]) -> bool:
    return finding.kind.startswith("change.") and finding.kind != FAULT and finding.entity not in blamed


def _finding(case: Case, finding: Finding, change: Change) -> Finding:
    commit = next((each for each in case.changes if each.kind == "commit" and each.id == change.commit), None)
    told = finding.captures
    did = f"makes {told.get('new')} worse than {told.get('old')} beside it under the same load ({told.get('what')})"
    kind = _kind(commit or change)
    captures = {
        "change": _name(change).partition(":")[2], "service": told.get("service", ""), "did": did,
        "title": (commit or change).summary,
    }  # fmt: skip
    said = (
        f"{change.kind} {change.id} put {told.get('new')} beside {told.get('old')} in {told.get('service')}, and {did}"
    )
    return Finding(
        _name(change), kind, said, finding.citations, onset=change.time, severity=Severity.ERROR, weight=WEIGHT,
        signature=f"{kind.replace('.', '-')}/canary",
        captures={name: value for name, value in captures.items() if value},
    )  # fmt: skip


def _kind(change: Change) -> str:
    settings = bool(change.files) and all(_SETTINGS.search(name) for name in change.files)
    return "change.config" if settings else _KINDS.get(change.kind, "change.deploy")
