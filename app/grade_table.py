"""The tables that `fishbone eval` prints: figures by set, and which fault was told for which family."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from rich.table import Table

from app.grades import Grade, by_set, figures

Row = dict[str, float]
_COLUMNS: Final[tuple[tuple[str, Callable[[Row], str]], ...]] = (
    ("n", lambda f: f"{f['bundles']:g}"),
    ("AC@1", lambda f: f"{f['ac_at_1']:.2f}"),
    ("AC@3", lambda f: f"{f['ac_at_3']:.2f}"),
    ("Avg@5", lambda f: f"{f['avg_at_5']:.2f}" if f["by_name"] else "-"),
    ("abstained", lambda f: f"{f['abstained']:.2f}"),
    ("blamed", lambda f: f"{f['healthy_blamed']:g}"),
    ("conf wrong", lambda f: f"{f['confident_wrong']:.2f}"),
    ("conf right", lambda f: f"{f['confident_right']:.2f}"),
    ("Brier", lambda f: f"{f['brier']:.3f}"),
    ("verbatim", lambda f: f"{f['citations_verbatim']:.2f}" if f["citations"] else "-"),
    ("uncited", lambda f: f"{f['uncited_causes']:g}"),
    ("grounded", lambda f: f"{f['grounded']:.2f}"),
    ("leaks", lambda f: f"{f['leaks']:g}"),
    ("failed", lambda f: f"{f['failed']:g}"),
    ("median s", lambda f: f"{f['seconds_median']:.2f}"),
    ("p95 s", lambda f: f"{f['seconds_p95']:.2f}"),
)


def by_set_table(grades: Sequence[Grade]) -> Table:
    """One row a set, and one for all."""
    shown = _empty("set", [name for name, _ in _COLUMNS])
    for name, of in by_set(grades).items():
        found = figures(of)
        shown.add_row(name, *(cell(found) for _, cell in _COLUMNS))
    return shown


def families_table(grades: Sequence[Grade]) -> Table:
    """One row a fault family as the ground truth names it: how many were right, and what was said of the rest."""
    shown = Table(box=None)
    for name in ("family", "n", "AC@1", "AC@3", "said instead"):
        shown.add_column(name, justify="right" if name in ("n", "AC@1", "AC@3") else "left")
    for family in sorted({g.family for g in grades}):
        of = [g for g in grades if g.family == family]
        found = figures(of)
        wrong = Counter(g.fault.partition(".")[0] or g.verdict or "failed" for g in of if not g.top1)
        said = ", ".join(f"{name} {count}" for name, count in sorted(wrong.items(), key=lambda w: (-w[1], w[0])))
        shown.add_row(family, str(len(of)), f"{found['ac_at_1']:.2f}", f"{found['ac_at_3']:.2f}", said)
    return shown


def _empty(first: str, names: Sequence[str]) -> Table:
    shown = Table(box=None)
    shown.add_column(first, no_wrap=True)
    for name in names:
        shown.add_column(name, justify="right")
    return shown
