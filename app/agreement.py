"""How a model does beside the offline analyst over many incidents: accuracy, cost, agreement, unsupported claims."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from app.grades import Grade, figures
from domain.codec import Json

ROWS = ("ac_at_1", "ac_at_3", "confident_wrong", "brier", "grounded", "abstained", "healthy_blamed", "failed")


@dataclass(frozen=True)
class Side:
    """One incident by the analyst alone, or with the model beside it."""

    grade: Grade
    seconds: float
    tokens: int = 0
    cost: float = 0.0
    calls: int = 0  # of the model
    agreement: str = ""  # cause | entity | verdict | open | none; empty without a second opinion
    alone_right: bool = False  # whether the model by itself names an accepted entity
    claims: int = 0  # statements of the model
    unsupported: int = 0  # those that no stored result bears
    failed: str = ""  # why the model's pass gave nothing

    @property
    def line(self) -> str:
        """One line for people."""
        told = f" {self.tokens} tokens, {self.agreement or self.failed}" if self.calls or self.failed else ""
        return f"{self.grade.line}{told}"


def side_of(grade: Grade, seconds: float, document: Json, calls: int, alone_right: bool, failed: str) -> Side:
    """What a report of both says."""
    run, told = document["run"], document.get("comparison") or {}
    model = told.get("model") or {}
    claims = model.get("findings", 0) + model.get("unsupported", 0)
    return Side(
        grade, seconds, run["tokens"], run["cost"], calls, told.get("agreement", ""), alone_right, claims,
        model.get("unsupported", 0), failed,
    )  # fmt: skip


def summary(sides: Sequence[Side]) -> dict[str, float]:
    """The figures by name."""
    graded = figures([side.grade for side in sides])
    seen = [side for side in sides if side.agreement]
    claims = sum(side.claims for side in sides)
    return {
        **{name: graded[name] for name in ROWS if name in graded},
        "tokens_median": _median([side.tokens for side in sides]),
        "tokens_total": sum(side.tokens for side in sides),
        "cost_total": round(sum(side.cost for side in sides), 4),
        "model_calls": sum(side.calls for side in sides),
        "seconds_median": round(_median([side.seconds for side in sides]), 3),
        "agrees_on_cause": _share(sum(side.agreement == "cause" for side in seen), len(seen)),
        "agrees_on_entity": _share(sum(side.agreement in ("cause", "entity") for side in seen), len(seen)),
        "model_undecided": _share(sum(side.agreement == "open" for side in seen), len(seen)),
        "model_alone_right": _share(sum(side.alone_right for side in seen), len(seen)),
        "claims": claims,
        "unsupported_claims": _share(sum(side.unsupported for side in sides), claims),
        "model_gave_nothing": sum(bool(side.failed) for side in sides),
    }


def side_by_side(offline: Sequence[Side], model: Sequence[Side], name: str) -> Table:
    """One row a figure: the analyst alone, and with the model beside it."""
    table = Table("", "offline", name, "difference", box=None)
    first, second = summary(offline), summary(model)
    for key, was in first.items():
        now = second[key]
        table.add_row(key.replace("_", " "), f"{was:g}", f"{now:g}", f"{now - was:+g}" if now != was else "")
    return table


def _median(values: Sequence[float]) -> float:
    return float(statistics.median(values)) if values else 0.0


def _share(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0
