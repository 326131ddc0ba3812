"""Writes docs/coverage.md: which faults the runbooks know, by what signs, and what shows that they work.

python -m bench.coverage
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from domain.fault import FAMILIES
from domain.runbook import Runbook, Signature
from rag.examples import Example, load_examples
from rag.runbooks import load

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "coverage.md"
HEAD = """\
# What the runbooks know

Made from `runbooks/` and `incidents/` by `python -m bench.coverage`; a test holds it to them. Breadth is what a runbook
can recognise, not how often it is right: that is in [accuracy.md](accuracy.md).

Signs: signatures in text, state (typed facts) and metrics. Lines: those on which a text signature must fire, and near
misses on which it must not; `fishbone runbooks check` tries all of them. Explains: patterns of faults and symptoms
that may follow from it. Against: signs that contradict it. Remedies: now / next / prevention. Recorded: shipped
incidents in which the lab really caused it.
"""
COLUMNS = (
    "fault", "at fault", "text", "state", "metric", "lines", "near misses", "explains", "against", "checks", "remedies",
    "recorded",
)  # fmt: skip


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The whole page."""
    books = sorted(load([ROOT / "runbooks"]), key=lambda book: book.fault)
    examples = load_examples([ROOT / "runbooks"])
    recorded = incidents()
    lines = [HEAD, *_totals(books, examples), ""]
    for family, about in FAMILIES.items():
        of = [book for book in books if book.fault.partition(".")[0] == family]
        if of:
            lines += _family(family, about, of, examples, recorded)
    return "\n".join(lines)


def incidents() -> dict[str, list[str]]:
    """The shipped incidents by the fault that was caused."""
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "incidents").glob("*/expected.yaml")):
        told = yaml.safe_load(file.read_text("utf-8"))
        if told["verdict"] == "root_cause":
            found.setdefault(str(told.get("fault", "")), []).append(file.parent.name)
    return found


def _totals(books: Sequence[Runbook], examples: Mapping[str, Mapping[str, Example]]) -> Iterator[str]:
    kinds = Counter(_type(each) for book in books for each in book.signatures)
    of_families = len({book.fault.partition(".")[0] for book in books})
    fires = sum(len(each.fires) for book in examples.values() for each in book.values())
    misses = sum(len(each.misses) for book in examples.values() for each in book.values())
    yield f"{len(books)} faults in {of_families} families; {kinds['text']} signatures in text, {kinds['state']} in"
    yield f"state, {kinds['metric']} in metrics; {fires} lines that fire, {misses} near misses."


def _family(
    family: str,
    about: str,
    books: Sequence[Runbook],
    examples: Mapping[str, Mapping[str, Example]],
    recorded: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    yield f"## {family}: {about}"
    yield ""
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"| --- | --- |{' ---: |' * (len(COLUMNS) - 4)} --- | --- |"
    for book in books:
        cells = (*_cells(book, examples.get(book.name, {})), ", ".join(recorded.get(book.fault, ())) or "-")
        yield f"| {' | '.join(cells)} |"
    yield ""


def _cells(book: Runbook, own: Mapping[str, Example]) -> tuple[str, ...]:
    kinds = Counter(_type(each) for each in book.signatures)
    fires, misses = sum(len(e.fires) for e in own.values()), sum(len(e.misses) for e in own.values())
    counts = (
        kinds["text"], kinds["state"], kinds["metric"], fires, misses, len(book.explains), len(book.contradicts),
        len(book.checks),
    )  # fmt: skip
    remedies = f"{len(book.now)} / {len(book.next)} / {len(book.prevention)}"
    return f"[{book.fault}](../runbooks/{book.name}/RUNBOOK.md)", book.entity, *map(str, counts), remedies


def _type(of: Signature) -> str:
    return "text" if of.text is not None else "state" if of.state is not None else "metric"


if __name__ == "__main__":
    main()
