"""Fits the confidence of the best hypothesis on recorded incidents, and prints its reliability.

    python -m bench.ablate FOLDER ... --rows rows.json      # with evidence taken away, too
    python -m bench.ablate incidents --only --rows rows.json
    python -m bench.confidence rows.json [--chart docs/reliability.svg]

Rows are replays of incidents. Those in bench/unseen.jsonl are of incidents that nobody had tuned for: what the answers
were at the first try, before anybody taught from them, whole and with evidence taken away (bench/ablate.py). To them
come the rows of the files: of sets that were in sight, where a whole replay comes out right nearly always, teaches
nothing about being wrong and counts nothing (a fault of the lab half); with evidence taken away it counts. An
incident's ablations together count once, and a first try once more. Where the cause is a change and the changes, diffs
or what was cited is gone, the right answer cannot be named any more: those rows are left out.

The fit is logistic by ridge-penalised maximum likelihood, leaving out one set at a time: every printed probability
comes from a model that has seen no incident of the same set, so that what is learned from one kind of recording is
tried on another. Then it is fitted on all; WEIGHTS and BIAS are printed to be copied.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.confidence import BIAS, WEIGHTS, Features
from app.grade_chart import bands, reliability
from app.grades import CONFIDENT
from bench.ablate import CITED
from bench.gathered import Row, kept, vector

Matrix = NDArray[np.float64]
CHANGES = ("changes", "artifacts", CITED)  # of what an incident that a change caused may be deprived
RIDGE = 1.0  # of one standard: with some hundred rows a weight needs evidence from several of them
UNSEEN = Path(__file__).parent / "unseen.jsonl"
FRESH = "unseen-"  # begins the names of its sets
LAB, OF_LAB = "incidents", 0.5  # real faults with all that a machine tells: in sight, but of the kinds that people meet
TITLE = "How sure it was and how often it was right: held out by set, at the first try and with evidence taken away"


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", type=Path)
    parser.add_argument("--chart", type=Path)
    given = parser.parse_args()
    rows = chosen(kept([UNSEEN, *given.rows]))
    if not rows:
        raise SystemExit("no replay with a hypothesis in this file")
    x, y, weight = (
        np.array([vector(row) for row in rows]),
        np.array([float(row.best_right) for row in rows]),
        shares(rows),
    )
    told = held_out(rows, x, y, weight)
    whole, first = (np.array([test(row) for row in rows]) for test in (lambda r: not r.without, _is_first_try))
    groups = {"at the first try": first, "whole, of sets in sight": whole & ~first, "with evidence taken away": ~whole}
    for name, of in groups.items():
        say(name, rows, of, y, {"held out": told, "as shipped": shipped(x)})
    print("held out, first tries and all with evidence taken away:")
    curve(told[weight > 0], y[weight > 0])
    if given.chart:
        pairs = zip(told[weight > 0], y[weight > 0] > 0, strict=True)
        given.chart.write_text(reliability(list(pairs), TITLE), encoding="utf-8")
    weights = fit(x, y, weight)
    print("WEIGHTS:", ", ".join(f"{f.name} {w:.2f}" for f, w in zip(fields(Features), weights[1:], strict=True)))
    print(f"BIAS: {weights[0]:.2f}")


def chosen(rows: Sequence[Row]) -> list[Row]:
    """Those whose best hypothesis the confidence is about, and whose right answer can still be named."""
    blamed = {(row.group, row.id) for row in rows if not row.without and row.fault.startswith("change.")}
    return [
        row
        for row in rows
        if row.features and row.verdict != "healthy"
        if not (row.without in CHANGES and (row.group, row.id) in blamed)
    ]


def shares(rows: Sequence[Row]) -> Matrix:
    """What each row counts: all ablations of an incident together one, a first try one, a fault of the lab half, other
    whole replays nothing."""
    count = Counter((row.group, row.id) for row in rows if row.without)
    return np.array([1.0 / count[row.group, row.id] if row.without else _of_whole(row) for row in rows])


def _of_whole(row: Row) -> float:
    return 1.0 if _is_first_try(row) else OF_LAB * (row.group == LAB)


def _is_first_try(row: Row) -> bool:
    return row.group.startswith(FRESH) and not row.without


def held_out(rows: Sequence[Row], x: Matrix, y: Matrix, weight: Matrix) -> Matrix:
    """The probability of each row by a model fitted on the other sets."""
    sets, told = np.array([row.group for row in rows]), np.zeros(len(rows))
    for each in np.unique(sets):
        out = sets == each
        told[out] = probability(x[out], fit(x[~out], y[~out], weight[~out]))
    return told


def fit(x: Matrix, y: Matrix, weight: Matrix, steps: int = 50) -> Matrix:
    """Newton's method on the penalised likelihood; the bias is not penalised."""
    design = np.hstack([np.ones((len(x), 1)), x])
    weights = np.zeros(design.shape[1])
    penalty = np.diag([0.0, *([RIDGE] * x.shape[1])])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (weight * (y - p)) - penalty @ weights
        curvature = design.T @ (design * (weight * p * (1 - p))[:, None]) + penalty + 1e-9 * np.eye(len(weights))
        weights = weights + np.linalg.solve(curvature, gradient)
    return weights


def probability(x: Matrix, weights: Matrix) -> Matrix:
    """The logistic of bias and weighted features."""
    return np.asarray(1 / (1 + np.exp(-(weights[0] + x @ weights[1:]))))


def shipped(x: Matrix) -> Matrix:
    """What analysis/confidence.py says now."""
    return probability(x, np.array([BIAS, *astuple(WEIGHTS)]))


def say(name: str, rows: Sequence[Row], of: NDArray[np.bool_], y: Matrix, models: dict[str, Matrix]) -> None:
    """How well each model does on some of the rows, and on each set among them."""
    if not of.any():
        return
    right = y[of].mean()
    print(f"{name}: {int(of.sum())} replays, {right:.2f} right; Brier of always saying so {right * (1 - right):.4f}")
    for model, told in models.items():
        sure = of & (told >= CONFIDENT)
        wrong, count = int((y[sure] == 0).sum()), int(sure.sum())
        print(
            f"  {model:<11} Brier {np.mean((told[of] - y[of]) ** 2):.4f}; {CONFIDENT} or more said of {count}, "
            f"wrong {wrong} ({wrong / of.sum():.3f} of all), right and sure {y[sure].sum() / max(1, y[of].sum()):.2f}"
        )
    for group in sorted({row.group for row in rows}):
        some = of & np.array([row.group == group for row in rows])
        if some.any():
            each = ", ".join(f"{model} {np.mean((told[some] - y[some]) ** 2):.3f}" for model, told in models.items())
            print(f"    {group:<10} {int(some.sum()):>4}  right {y[some].mean():.2f}  Brier {each}")


def curve(told: Matrix, y: Matrix) -> None:
    """The reliability curve: in each band of confidence, how many were right."""
    print("said   right   of")
    for band in bands([(float(sure), bool(right)) for sure, right in zip(told, y, strict=True)]):
        print(f"{band.said:.2f}   {band.right:.2f}    {band.count}")


if __name__ == "__main__":
    main()
