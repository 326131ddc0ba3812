"""What a diagnosis says when evidence is missing: is it still right, and if not, is it still sure?

    python -m bench.ablate FOLDER [FOLDER ...] [--only KIND ...] [--rows FILE]

Every incident is replayed whole, and again without one kind of evidence at a time: its logs, artifacts, metrics,
traces, engine documents (docker/, host/, network/), changes, topology; without one file, drawn by a hash of its name;
and without all files that the cause of the whole replay cites. Ground truth stays what it was: what is graded as
wrong may be the best that the rest supports, so the figures to look at are how often it is wrong with a confidence of
0.7 or more, and how the confidence compares with the share that is right.
"""

import argparse
import asyncio
import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.bootstrap import House, open_house
from app.cli.eval import find
from app.settings import load_settings
from app.truth import Expected, Groups, read_expected, term_groups
from bench.gathered import Row, keep, row
from bundle.bundle import Bundle, open_bundle
from domain.codec import Json

KINDS = {
    "logs": ("logs/",), "artifacts": ("artifacts/",), "metrics": ("metrics/",), "traces": ("traces/",),
    "engine": ("docker/", "host/", "network/"), "changes": ("changes.jsonl",), "topology": ("topology.yaml",),
}  # fmt: skip
ONE, CITED = "one-file", "what-it-cites"
ALL = (*KINDS, ONE, CITED)


def main() -> None:
    """Replay, and print one row a kind of evidence."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", nargs="*", choices=ALL, default=ALL)
    parser.add_argument("--rows", type=Path, help="add all rows there, for bench.confidence")
    given = parser.parse_args()
    rows = asyncio.run(ablated(find(given.folders), given.only, given.rows))
    show(rows)


async def ablated(bundles: Sequence[tuple[str, Path]], only: Sequence[str], file: Path | None) -> list[Row]:
    """Every incident whole, and without each of these."""
    known = [read_expected(path) for _, path in bundles]
    others = term_groups(known)
    rows: list[Row] = []
    async with open_house(load_settings()) as house:
        for n, ((group, path), expected) in enumerate(zip(bundles, known, strict=True), 1):
            with open_bundle(path) as bundle:
                whole, report = await row(house, bundle, group, "", expected, others)
                left = list(without(bundle, report, only))
            new = [whole] + [await _without(house, path, group, taken, expected, others) for taken in left]
            rows += new
            if file is not None:
                keep(new, file)
            print(f"{n}/{len(bundles)} {group}/{path.name}: {len(left)} ablations", file=sys.stderr)
    return rows


async def _without(
    house: House,
    path: Path,
    group: str,
    taken: tuple[str, frozenset[str]],
    expected: Expected,
    others: tuple[Groups, ...],
) -> Row:
    kind, removed = taken
    with tempfile.TemporaryDirectory(prefix="ablate-") as folder:
        copy = Path(folder) / path.name
        shutil.copytree(path, copy, copy_function=shutil.copyfile)
        for name in removed:
            (copy / name).unlink()
        with open_bundle(copy) as bundle:
            return (await row(house, bundle, group, kind, expected, others))[0]


def without(bundle: Bundle, report: dict[str, Json], only: Sequence[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """What is taken away, by kind: never nothing, and never all."""
    names = frozenset(bundle.files())
    taken = {kind: frozenset(n for n in names if n.startswith(starts)) for kind, starts in KINDS.items()}
    taken[ONE] = frozenset(sorted(names, key=lambda n: hashlib.sha256(f"{bundle.id} {n}".encode()).digest())[:1])
    taken[CITED] = names & _cited(report)
    yield from ((kind, gone) for kind, gone in taken.items() if kind in only and gone and gone != names)


def _cited(report: dict[str, Json]) -> frozenset[str]:
    """The files that the root cause and its chain rest on."""
    cause = report["root_cause"] or {}
    used = {c for link in cause.get("chain") or [] for c in link["citations"]}
    return frozenset(str(c["source"]) for c in report["citations"] if c["id"] in used)


def show(rows: Sequence[Row]) -> None:
    """One line a kind of evidence, and one for all ablations."""
    print(f"{'without':<14}    n  right  undetermined  wrong, sure  said  Brier")
    kinds = dict.fromkeys(each.without for each in rows)
    for kind in [*sorted(kinds, key=lambda k: ("", *ALL).index(k)), "all of these"]:
        of = [r for r in rows if r.without == kind or (kind == "all of these" and r.without)]
        if of:
            print(_line(kind or "nothing", of))


def _line(name: str, of: Sequence[Row]) -> str:
    told = [(r.confidence, r.right) for r in of if r.confidence is not None]
    said = sum(sure for sure, _ in told) / max(1, len(told))
    brier = sum((sure - right) ** 2 for sure, right in told) / max(1, len(told))
    right = sum(r.right for r in of) / len(of)
    open_ = sum(r.verdict == "undetermined" for r in of) / len(of)
    sure = sum(r.sure_and_wrong for r in of) / len(of)
    return f"{name:<14} {len(of):>4}   {right:.2f}          {open_:.2f}        {sure:.3f}  {said:.2f}  {brier:.3f}"


if __name__ == "__main__":
    main()
