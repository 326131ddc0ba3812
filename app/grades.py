"""Grades of replayed incidents, and the numbers and the table made of them."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from app.truth import Truth
from domain.codec import Json

CONFIDENT = 0.7


@dataclass(frozen=True)
class Grade:
    """What one report got."""

    id: str
    group: str  # the folder it came from
    expected: str  # verdict
    verdict: str = ""
    top1: bool = False
    top3: bool = False
    place: int = 0  # of the first accepted entity, 0: not told
    entity_ok: bool = False
    confidence: float | None = None
    entity: str = ""
    fault: str = ""
    citations: int = 0
    statements: int = 0
    cited: int = 0
    leaks: tuple[str, ...] = ()
    seconds: float = 0.0
    error: str = ""

    @classmethod
    def of(cls, name: str, group: str, truth: Truth, report: dict[str, Json], shown: str, seconds: float) -> "Grade":
        """Grade a report and its markdown."""
        cause, checks = report["root_cause"] or {}, report["run"]["checks"]
        return cls(
            name, group, truth.expected.verdict, report["verdict"], truth.right(report), truth.among_three(report),
            truth.place(report), bool(cause) and truth.names(cause["entity"]), cause.get("confidence"),
            cause.get("entity", ""), cause.get("fault", ""), len(report["citations"]), checks["statements"],
            checks["cited"], tuple(s for s in truth.expected.must_not_appear if s in shown), round(seconds, 3),
        )  # fmt: skip

    @property
    def sure_and_wrong(self) -> bool:
        """Wrong with a confidence at which a person would act."""
        return not self.top1 and (self.confidence or 0.0) >= CONFIDENT

    @property
    def line(self) -> str:
        """One line for people."""
        if self.error:
            return f"{self.id} failed: {self.error}"
        outcome = (
            "right"
            if self.top1
            else "WRONG!"
            if self.sure_and_wrong
            else "abstained"
            if self.verdict == "undetermined"
            else "wrong"
        )
        sure = "" if self.confidence is None else f" {self.confidence:.2f}"
        entity = "" if self.top1 or not self.entity else f" (entity {'right' if self.entity_ok else 'wrong'})"
        return f"{self.id} {outcome}{sure} {self.entity} {self.fault} {self.seconds:.2f} s{entity}"


def numbers(grades: Sequence[Grade]) -> dict[str, float]:
    """The figures by name; a share of nothing is 0."""
    sure = [g for g in grades if g.confidence is not None]
    right = [g for g in sure if g.top1]
    return {
        "bundles": len(grades),
        "ac_at_1": _share(sum(g.top1 for g in grades), len(grades)),
        "ac_at_3": _share(sum(g.top3 for g in grades), len(grades)),
        "avg_at_5": _share(sum(max(0, 6 - g.place) for g in grades if g.place), 5 * len(grades)),
        "abstained": _share(sum(g.verdict == "undetermined" and not g.top1 for g in grades), len(grades)),
        "healthy_blamed": sum(g.expected == "healthy" and g.verdict == "root_cause" for g in grades),
        "confident_wrong": _share(sum(g.sure_and_wrong for g in grades), len(grades)),
        "confident_right": _share(sum((g.confidence or 0) >= CONFIDENT for g in right), len(right)),
        "brier": _share(sum(((g.confidence or 0) - g.top1) ** 2 for g in sure), len(sure)) if sure else 1.0,
        "grounded": _share(sum(g.cited for g in grades), sum(g.statements for g in grades)),
        "leaks": sum(len(g.leaks) for g in grades),
        "failed": sum(bool(g.error) for g in grades),
        "seconds_median": round(statistics.median([g.seconds for g in grades]), 3) if grades else 0.0,
    }


def table(grades: Sequence[Grade]) -> Table:
    """One row a folder, and one for all."""
    shown = Table(box=None)
    keys = list(numbers([]))
    for name in ("set", *keys):
        shown.add_column(name.replace("_", " "), justify="left" if name == "set" else "right")
    groups = sorted({g.group for g in grades})
    rows = [(group, [g for g in grades if g.group == group]) for group in groups]
    for group, of in [*rows, *([("all", list(grades))] if len(rows) > 1 else [])]:
        figures = numbers(of)
        shown.add_row(
            group,
            *(f"{figures[key]:g}" if figures[key] == int(figures[key]) else f"{figures[key]:.2f}" for key in keys),
        )
    return shown


def _share(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0
