"""Replays incidents and keeps what the confidence is made of: one row a replay, in a file to be fitted again."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from analysis.candidates import candidates
from analysis.confidence import Features, features
from analysis.hypotheses import hypotheses
from app.bootstrap import House
from app.bundle_text import BundleText
from app.grades import CONFIDENT
from app.replay import replay
from app.truth import Expected, Groups, Truth
from bundle.bundle import Bundle
from domain.codec import Json
from domain.diagnosis import Verdict
from graph.nodes.root_cause import assemble


@dataclass(frozen=True)
class Row:
    """One replay of one incident, perhaps with evidence taken away."""

    id: str
    group: str  # the set
    without: str  # what was taken away; empty: nothing
    verdict: str
    right: bool  # the report's first answer
    best_right: bool  # the best hypothesis, also where the verdict is undetermined
    confidence: float | None
    fault: str
    entity: str
    features: dict[str, float] = field(default_factory=dict)  # of the best hypothesis; empty where there is none
    terms: dict[str, float] = field(default_factory=dict)

    @property
    def sure_and_wrong(self) -> bool:
        """Wrong with a confidence at which a person would act."""
        return not self.right and (self.confidence or 0.0) >= CONFIDENT


async def row(
    house: House, bundle: Bundle, group: str, without: str, expected: Expected, others: tuple[Groups, ...]
) -> tuple[Row, dict[str, Json]]:
    """Replay the bundle, and what there is to learn of it; with report.json."""
    outcome = await replay(house, bundle)
    case = assemble(outcome.report.incident, outcome.report.evidence, house.knowledge)
    ranked = hypotheses(case, candidates(case))
    document = outcome.document
    truth = Truth(expected, BundleText(bundle), others)
    right, cause = truth.right(document), document["root_cause"] or {}
    best = next(iter(document["hypotheses"]), None)
    best_right = right
    if outcome.report.diagnosis.verdict is not Verdict.ROOT_CAUSE:
        best_right = expected.verdict == "root_cause" and best is not None and truth.fits({**best, "chain": []})
    return Row(
        bundle.root.name, group, without, document["verdict"], right, best_right, cause.get("confidence"),
        str(cause.get("fault") or ""), str(cause.get("entity") or ""),
        asdict(features(case, ranked)) if ranked else {}, dict(ranked[0].terms) if ranked else {},
    ), document  # fmt: skip


def vector(of: Row) -> tuple[float, ...]:
    """The features in the order of the model's weights."""
    return tuple(of.features[name] for name in Features.__dataclass_fields__)


def keep(rows: Sequence[Row], file: Path) -> None:
    """Write some more rows; what is there already stays."""
    with file.open("a", encoding="utf-8") as out:
        out.writelines(json.dumps(asdict(each)) + "\n" for each in rows)


def kept(files: Sequence[Path]) -> list[Row]:
    """The rows of these files."""
    return [Row(**json.loads(line)) for file in files for line in file.read_text("utf-8").splitlines()]
