"""Fits the confidence of the best hypothesis on recorded incidents, and prints its reliability.

    python -m bench.confidence FOLDER [FOLDER ...]

Each incident is replayed once; the features of its best hypothesis and whether it was right make one row. The logistic
model of analysis/confidence.py is fitted by ridge-penalised maximum likelihood in five folds, split by incident id, so
that every printed probability comes from a model that has not seen the incident. Then it is fitted on all, and WEIGHTS
and BIAS are printed to be copied.
"""

import asyncio
import hashlib
import sys
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.candidates import candidates
from analysis.confidence import BIAS, WEIGHTS, Features, features
from analysis.hypotheses import hypotheses
from app.bootstrap import House, open_house
from app.cli.eval import words_of
from app.replay import replay
from app.settings import load_settings
from app.truth import Truth, read_expected
from bundle.bundle import open_bundle
from domain.diagnosis import Verdict
from graph.nodes.root_cause import assemble

Matrix = NDArray[np.float64]
FOLDS = 5
RIDGE = 1.0  # of one standard: with some hundred rows a weight needs evidence from several of them


def main() -> None:
    """Replay, fit, print."""
    rows = asyncio.run(gathered([Path(arg) for arg in sys.argv[1:]]))
    if not rows:
        raise SystemExit("no incident with a hypothesis in these folders")
    names = [row[0] for row in rows]
    x = np.array([astuple(row[1]) for row in rows])
    y = np.array([float(row[2]) for row in rows])
    told = held_out(names, x, y)
    print(f"{len(rows)} incidents with a hypothesis, {int(y.sum())} right")
    print(
        f"Brier, held out: {np.mean((told - y) ** 2):.4f}; "
        f"of always saying {y.mean():.2f}: {y.mean() * (1 - y.mean()):.4f}"
    )
    print(f"Brier, as shipped: {np.mean((shipped(x) - y) ** 2):.4f}")
    reliability(told, y)
    weights = fit(x, y)
    print("WEIGHTS:", ", ".join(f"{f.name} {w:.2f}" for f, w in zip(fields(Features), weights[1:], strict=True)))
    print(f"BIAS: {weights[0]:.2f}")


async def gathered(folders: list[Path]) -> list[tuple[str, Features, bool]]:
    """One row an incident: its id, the features of its best hypothesis, and whether that is right."""
    paths = sorted({file.parent for folder in folders for file in folder.rglob("expected.yaml")})
    async with open_house(load_settings()) as house:
        found = [(str(path), await measured(house, path)) for path in paths]
    return [(path, *row) for path, row in found if row is not None]


async def measured(house: House, path: Path) -> tuple[Features, bool] | None:
    """The features as the product computes them, and the grade of the best hypothesis."""
    with open_bundle(path) as bundle:
        outcome = await replay(house, bundle)
        case = assemble(outcome.report.incident, outcome.report.evidence, house.knowledge)
        ranked = hypotheses(case, candidates(case))
        if not ranked:
            return None
        truth = Truth(read_expected(path), words_of(bundle))
        best = next((h for h in outcome.document["hypotheses"]), None)
        if outcome.report.diagnosis.verdict is Verdict.ROOT_CAUSE:
            right = truth.right(outcome.document)
        else:
            right = truth.expected.verdict == "root_cause" and best is not None and truth.fits({**best, "chain": []})
        return features(case, ranked), right


def held_out(names: list[str], x: Matrix, y: Matrix) -> Matrix:
    """The probability of each row by a model fitted on the other folds."""
    fold = np.array([int(hashlib.sha256(name.encode()).hexdigest(), 16) % FOLDS for name in names])
    told = np.zeros(len(y))
    for each in range(FOLDS):
        weights = fit(x[fold != each], y[fold != each])
        told[fold == each] = probability(x[fold == each], weights)
    return told


def fit(x: Matrix, y: Matrix, steps: int = 50) -> Matrix:
    """Newton's method on the penalised likelihood; the bias is not penalised."""
    design = np.hstack([np.ones((len(x), 1)), x])
    weights = np.zeros(design.shape[1])
    penalty = np.diag([0.0, *([RIDGE] * x.shape[1])])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (y - p) - penalty @ weights
        curvature = design.T @ (design * (p * (1 - p))[:, None]) + penalty + 1e-9 * np.eye(len(weights))
        weights = weights + np.linalg.solve(curvature, gradient)
    return weights


def probability(x: Matrix, weights: Matrix) -> Matrix:
    """The logistic of bias and weighted features."""
    return np.asarray(1 / (1 + np.exp(-(weights[0] + x @ weights[1:]))))


def shipped(x: Matrix) -> Matrix:
    """What analysis/confidence.py says now."""
    return probability(x, np.array([BIAS, *astuple(WEIGHTS)]))


def reliability(told: Matrix, y: Matrix) -> None:
    """The curve: in each band of confidence, how many were right."""
    print("said        right   of")
    for low in np.arange(0.0, 1.0, 0.1):
        inside = (told >= low) & (told < low + 0.1 + (low > 0.85))
        if inside.any():
            print(f"{low:.1f} to {low + 0.1:.1f}  {y[inside].mean():.2f}    {int(inside.sum())}")


if __name__ == "__main__":
    main()
