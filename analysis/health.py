"""When nothing is wrong: what was checked is well, and nothing speaks for a fault."""

from dataclasses import dataclass
from typing import Final

from analysis.case import Case
from domain.diagnosis import Hypothesis, Link
from domain.evidence import Finding

FAULT_STRENGTH: Final = 0.5  # a hypothesis this strong about what the alert is about rules health out
WELL: Final = "state.well"  # kind of a finding that says something is as it should be
RECOVERED: Final = "state.recovered"  # it was not, and is again


@dataclass(frozen=True)
class Health:
    """Whether the incident is none, and why."""

    link: Link | None
    confidence: float = 0.0
    why: str = ""


def health(case: Case, ranked: tuple[Hypothesis, ...]) -> Health:
    """Healthy needs what is well about the alerted things, and no fault with real evidence."""
    if any(_stands(case, hypothesis) for hypothesis in ranked):
        return Health(None)
    well = [f for f in case.findings if f.kind in (WELL, RECOVERED) and case.near_alert(f.entity) >= 0.5]
    if not well:
        return Health(None)
    best = max(well, key=lambda f: (f.kind == RECOVERED, case.near_alert(f.entity), f.weight))
    fault = "none.recovered" if best.kind == RECOVERED else "none.healthy"
    cited = tuple(c for f in well[:6] for c in f.citations)
    doubt = max((h.terms.get("evidence", 0.0) for h in ranked), default=0.0)
    said = "; ".join(dict.fromkeys(f.statement for f in _ordered(well, best)[:3]))
    return Health(
        Link(best.entity, fault, said, cited), round(max(0.5, 0.92 - 0.6 * doubt), 3), f"Checked and well: {said}"
    )


def _ordered(well: list[Finding], best: Finding) -> list[Finding]:
    return [best, *(f for f in well if f is not best)]


def _stands(case: Case, hypothesis: Hypothesis) -> bool:
    """Whether the hypothesis is strong enough, and near enough, to mean a real fault."""
    strength = hypothesis.terms.get("evidence", 0.0)
    return strength >= FAULT_STRENGTH or (strength >= 0.3 and case.near_alert(hypothesis.entity) >= 0.8)
