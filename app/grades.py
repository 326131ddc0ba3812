"""Grades of replayed incidents, and the figures made of them."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.truth import Truth, said
from domain.codec import Json

CONFIDENT: Final = 0.7  # at which a person would act
# Figures of which less is better; every other one is better the higher it is.
LESS_IS_BETTER: Final = frozenset({
    "abstained", "healthy_blamed", "decoys_blamed", "confident_wrong", "brier", "uncited_causes", "word_soup", "leaks",
    "failed", "seconds_median", "seconds_p95",
})  # fmt: skip


@dataclass(frozen=True)
class Grade:
    """What one report got."""

    id: str
    group: str  # the set: the folder that was given, and what lies between it and the bundle
    family: str
    expected: str  # verdict
    verdict: str = ""
    top1: bool = False
    top3: bool = False
    place: int | None = None  # of the first accepted entity, 0: not told; None where words are needed too
    commit_right: bool | None = None  # None where the question is not which commit
    decoy: bool = False
    abstained: bool = False
    confident_wrong: bool = False
    confidence: float | None = None
    entity: str = ""
    fault: str = ""
    entity_ok: bool = False
    soup: bool = False
    citations: int = 0  # with a quote
    citations_found: int = 0  # whose quote is verbatim in its source
    unquoted: int = 0
    uncited: bool = False
    statements: int = 0
    statements_cited: int = 0
    leaks: tuple[str, ...] = ()
    seconds: float = 0.0
    error: str = ""

    @property
    def key(self) -> str:
        """What tells it from all others of a run."""
        return f"{self.group}/{self.id}"

    @property
    def outcome(self) -> str:
        """One word."""
        if self.error:
            return "failed"
        if self.top1:
            return "right"
        return "abstained" if self.abstained else "WRONG!" if self.confident_wrong else "wrong"

    @property
    def line(self) -> str:
        """One line for people."""
        if self.error:
            return f"{self.id} failed: {self.error}"
        sure = "" if self.confidence is None else f" {self.confidence:.2f}"
        entity = "" if self.top1 or not self.entity else f" (entity {'right' if self.entity_ok else 'wrong'})"
        return f"{self.id} {self.outcome}{sure} {self.entity} {self.fault} {self.seconds:.2f} s{entity}"


def grade(name: str, group: str, truth: Truth, report: dict[str, Json], shown: str, seconds: float) -> Grade:
    """Grade a report and its markdown."""
    expected, cause, verdict = truth.expected, report["root_cause"] or {}, report["verdict"]
    right, sure, entity = truth.right(report), cause.get("confidence"), str(cause.get("entity") or "")
    caused, checks = expected.verdict == "root_cause", report["run"]["checks"]
    quoted = [c for c in report["citations"] if str(c.get("quote") or "").strip()]
    return Grade(
        name, group, expected.told_family, expected.verdict, verdict, right, truth.among_three(report),
        place=truth.place(report) if expected.is_by_name else None,
        commit_right=truth.commit_right(entity), decoy=truth.blames_decoy(entity),
        abstained=caused and not right and verdict == "undetermined",
        confident_wrong=not right and (sure or 0.0) >= CONFIDENT, confidence=sure, entity=entity,
        fault=str(cause.get("fault") or ""), entity_ok=caused and bool(cause) and truth.names(entity, truth.text),
        soup=verdict == "root_cause" and truth.is_soup(said(cause)),
        citations=len(quoted), unquoted=len(report["citations"]) - len(quoted),
        citations_found=sum(truth.text.holds(str(c["quote"]), str(c.get("source") or "")) for c in quoted),
        uncited=verdict == "root_cause" and not _is_cited(report), statements=checks["statements"],
        statements_cited=min(checks["statements"], checks["cited"]),
        leaks=tuple(s for s in expected.must_not_appear if s in shown), seconds=round(seconds, 3),
    )  # fmt: skip


def figures(grades: Sequence[Grade]) -> dict[str, float]:
    """The figures by name; a share of nothing is 0, a Brier score of nothing 1."""
    count = len(grades)
    caused = [g for g in grades if g.expected == "root_cause"]
    sure = [g for g in grades if g.confidence is not None]
    ranked = [g for g in grades if g.place is not None]
    sworn = [g for g in grades if g.commit_right is not None]
    seconds = [g.seconds for g in grades]
    return {
        "bundles": count,
        "ac_at_1": _share(sum(g.top1 for g in grades), count),
        "ac_at_3": _share(sum(g.top3 for g in grades), count),
        "by_name": len(ranked),
        "avg_at_5": _share(sum(max(0, 6 - g.place) for g in ranked if g.place), 5 * len(ranked)),
        "ac_at_1_root_cause": _share(sum(g.top1 for g in caused), len(caused)),
        "right_no_root_cause": _share(sum(g.top1 for g in grades if g.expected != "root_cause"), count - len(caused)),
        "commits_right": _share(sum(bool(g.commit_right) for g in sworn), len(sworn)),
        "decoys_blamed": sum(g.decoy for g in sworn),
        "abstained": _share(sum(g.abstained for g in caused), len(caused)),
        "healthy_blamed": sum(g.expected == "healthy" and g.verdict == "root_cause" for g in grades),
        "confident_wrong": _share(sum(g.confident_wrong for g in grades), count),
        "confident_right": _share(sum(g.top1 and _confident(g) for g in sure), sum(g.top1 for g in sure)),
        "brier": _share(sum(((g.confidence or 0) - g.top1) ** 2 for g in sure), len(sure)) if sure else 1.0,
        "citations": sum(g.citations for g in grades),
        "citations_verbatim": _share(sum(g.citations_found for g in grades), sum(g.citations for g in grades)),
        "uncited_causes": sum(g.uncited for g in grades),
        "grounded": _share(sum(g.statements_cited for g in grades), sum(g.statements for g in grades)),
        "word_soup": sum(g.soup for g in grades),
        "leaks": sum(len(g.leaks) for g in grades),
        "failed": sum(bool(g.error) for g in grades),
        "seconds_median": round(statistics.median(seconds), 3) if seconds else 0.0,
        "seconds_p95": quantile(seconds, 0.95),
    }  # fmt: skip


def quantile(values: Sequence[float], q: float) -> float:
    """The smallest of the values that so many of them do not exceed; 0 of none."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, math.ceil(q * len(ordered)) - 1)], 3) if ordered else 0.0


def by_set(grades: Sequence[Grade]) -> dict[str, list[Grade]]:
    """The grades of each set, and where there are several those of all."""
    sets = {group: [g for g in grades if g.group == group] for group in sorted({g.group for g in grades})}
    return {**sets, "all": list(grades)} if len(sets) > 1 else sets


def _confident(of: Grade) -> bool:
    return (of.confidence or 0.0) >= CONFIDENT


def _is_cited(report: dict[str, Json]) -> bool:
    """Whether the root cause or its chain names an entry of citations[]."""
    known = {str(c.get("id")) for c in report["citations"]}
    cause = report["root_cause"]
    used = [c for part in [cause, *(cause.get("chain") or [])] for c in part.get("citations") or []]
    return any(str(c.get("id") if isinstance(c, dict) else c) in known for c in used)


def _share(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0
