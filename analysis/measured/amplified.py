"""More requests than before at something inside: a surge only where its callers get more, too."""

from dataclasses import replace
from typing import Final

from analysis.case import Case
from domain.entity import name_of

SURGE: Final = "load.surge"
AMPLIFIED: Final = 0.4  # of the weight: retries, a missed cache, a call per item make as much load as a crowd does


def discount_inner_surges(case: Case) -> Case:
    """The case with less weight on a surge at a callee none of whose callers surges: that load is made in between."""
    surging = {name_of(finding.entity) for finding in case.findings if finding.kind == SURGE}
    callers: dict[str, set[str]] = {}
    for edge in case.edges:
        callers.setdefault(name_of(edge.callee) or edge.callee, set()).add(name_of(edge.caller) or edge.caller)
    made = {name for name in surging if callers.get(name) and not callers[name] & surging}
    if not made:
        return case
    found = (
        replace(f, weight=round(f.weight * AMPLIFIED, 3)) if f.kind == SURGE and name_of(f.entity) in made else f
        for f in case.findings
    )
    return replace(case, findings=tuple(found))
