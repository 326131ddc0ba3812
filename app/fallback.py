"""When a model's pass gives nothing: the analyst's report stands, and says why."""

from collections.abc import Iterable
from dataclasses import replace

from agents.gateway.tape import Tape
from domain.evidence import Evidence, Gap
from domain.report import Report


def gave_nothing(theirs: Iterable[Evidence]) -> str:
    """Why the model's pass is no second opinion, or nothing: not one of its agents came to a conclusion."""
    whys = []
    for evidence in theirs:
        missing = [gap.why for gap in evidence.gaps if gap.what.endswith("agent's conclusion")]
        if evidence.findings or not missing:
            return ""
        whys += missing
    return "; ".join(dict.fromkeys(whys)) or "none of its agents came back"


def stands(first: Report, model: str, why: str, theirs: Iterable[Evidence], tape: Tape | None = None) -> Report:
    """The analyst's report with the reason why there is no second opinion in it."""
    gap = Gap(f"the second pass, by {model}", why, "the diagnosis of the offline analyst stands")
    told = tuple(gap for evidence in theirs for gap in evidence.gaps)
    run = first.run
    if tape is not None:
        run = replace(run, models=(*run.models, model), tokens=tape.tokens, cost=tape.cost)
    return replace(first, gaps=tuple(dict.fromkeys((*first.gaps, gap, *told))), run=run)
