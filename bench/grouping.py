"""Log template grouping against hand-made labels, and its speed.

    python -m bench.grouping [--cases ../shared/cases] [--wrong SOURCE]

Grouping accuracy as Zhu et al. define it (Tools and Benchmarks for Automated Log Parsing, 2019): the share of lines
whose template holds exactly the lines that belong together, no more and no fewer. bench/labels has one file a source:
its path, its hash, and 200 line numbers with their group; a source is mined whole, and the labelled lines are
compared. Two lines belong together where one statement of the program wrote both; of requests method and status, and
of SQL the shape of the statement, must agree too, since that is what a reader asks for. Speed is measured in
processor time over all sources.
"""

import argparse
import csv
import gzip
import hashlib
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from analysis.lines.templates import Miner

HERE = Path(__file__).parent
LABELS = HERE / "labels"
SHIPPED = "incidents_"  # begins the labels of what this checkout holds
BAR, SPEED_BAR = 0.80, 50_000
LEAST_LINES = 400_000  # timed: less is noise


@dataclass(frozen=True)
class Labelled:
    """One source with the groups of some of its lines."""

    path: str
    lines: tuple[str, ...]
    groups: dict[int, str]  # by line number, from 1


def main() -> None:
    """Print one row a source, the mean, and the speed; exit 1 below a bar, or where a shipped source is another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, default=HERE.parent.parent / "shared" / "cases")
    parser.add_argument("--wrong", default="", help="show which templates of this source are wrong")
    given = parser.parse_args()
    files = sorted(LABELS.glob("*.csv"))
    sources = {file.name: labelled(file, given.cases) for file in files}
    if lost := [name for name, source in sources.items() if source is None and name.startswith(SHIPPED)]:
        sys.exit(f"not the shipped incidents that were labelled: {', '.join(lost)}; run bench.label_incidents")
    found = [source for source in sources.values() if source]
    scores = []
    for source in found:
        mined = templates(source.lines)
        right = accuracy(source.groups, mined)
        scores.append(right)
        print(f"{right:.3f}  {len(set(source.groups.values())):>3} groups  {len(source.groups)} lines  {source.path}")
        if given.wrong and given.wrong in source.path:
            wrong(source, mined)
    mean, speed = sum(scores) / len(scores), lines_a_second(found)
    print(f"{mean:.3f}  mean of {len(scores)} sources, the least is {min(scores):.3f}")
    print(f"{speed:,.0f} lines/s a core")
    sys.exit(mean < BAR or speed < SPEED_BAR)


def labelled(file: Path, cases: Path) -> Labelled | None:
    """The source of a file of labels; None, which is told, where it is not here or not the one that was labelled."""
    head, _, rows = file.read_text("utf-8").partition("\n")
    _, path, _, wanted = head.split(" ")
    at = (HERE.parent if file.name.startswith(SHIPPED) else cases) / path
    if not at.is_file():
        print(f"{path}: left out, it is not here", file=sys.stderr)
        return None
    raw = at.read_bytes()
    if hashlib.sha256(raw).hexdigest() != wanted:
        print(f"{path}: left out, it is not the file that was labelled", file=sys.stderr)
        return None
    text = gzip.decompress(raw) if at.suffix == ".gz" else raw
    groups = {int(row["line"]): row["group"] for row in csv.DictReader(rows.splitlines())}
    return Labelled(path, tuple(text.decode("utf-8", "replace").split("\n")), groups)


def templates(lines: tuple[str, ...]) -> dict[int, int]:
    """The template of each line that says something, as it stands when all lines are known."""
    miner = Miner()
    said = {n: miner.add(line, n) for n, line in enumerate(lines, 1) if line and not line.isspace()}
    return {n: miner.find(index) for n, index in said.items()}


def accuracy(groups: dict[int, str], mined: dict[int, int]) -> float:
    """The share of lines whose template holds exactly their group."""
    theirs, ours = defaultdict(set), defaultdict(set)
    for line, group in groups.items():
        theirs[group].add(line)
        ours[mined[line]].add(line)
    return sum(len(lines) for lines in theirs.values() if lines in ours.values()) / len(groups)


def wrong(source: Labelled, mined: dict[int, int]) -> None:
    """Which groups are split or joined, with one line of each."""
    by_group, by_template = defaultdict(set), defaultdict(set)
    for line, group in source.groups.items():
        by_group[group].add(mined[line])
        by_template[mined[line]].add(group)
    for group, those in by_group.items():
        joined = {other for each in those for other in by_template[each]} - {group}
        if len(those) > 1 or joined:
            first = next(line for line, of in source.groups.items() if of == group)
            print(f"    group {group}: {len(those)} templates, shared with {sorted(joined)}: line {first}")


def lines_a_second(found: list[Labelled]) -> float:
    """Lines of all sources, again and again by a new miner each time, over the processor's time for them."""
    count, begun = 0, time.process_time()
    while count < LEAST_LINES:
        for source in found:
            count += len(templates(source.lines))
    return count / (time.process_time() - begun)


if __name__ == "__main__":
    main()
