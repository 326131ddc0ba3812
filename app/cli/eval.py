"""`fishbone eval`: replays incidents in one process, and grades the reports against their ground truth."""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from app.bars import bar, missed
from app.bootstrap import House, open_house
from app.bundle_text import BundleText
from app.cli.screen import output
from app.grade_changes import changes, read_run
from app.grade_chart import chart
from app.grade_table import by_set_table, families_table
from app.grades import Grade, by_set, figures, grade
from app.replay import replay
from app.settings import load_settings
from app.truth import Expected, Groups, Truth, read_expected, term_groups
from bundle.bundle import open_bundle
from domain.errors import BadBundle, BadConfiguration, FishboneError
from report.markdown import markdown

TRUTH = "expected.yaml"
PARTS = ("dev", "held", "visible")  # folders that say which part of a set they hold, not which set


@dataclass(frozen=True)
class Wanted:
    """What a run is to do with its grades."""

    json_file: Path | None = None
    chart: Path | None = None
    compare: Path | None = None
    bars: Sequence[str] = ()
    families: bool = False


def run_eval(folders: Sequence[Path], wanted: Wanted) -> None:
    """Grade every bundle below the folders. Exit 1 below a bar, exit 2 when there was nothing to grade."""
    bars = [bar(text) for text in wanted.bars]
    earlier = read_run(wanted.compare) if wanted.compare else None
    bundles = find(folders)
    grades = asyncio.run(graded(bundles))
    found = figures(grades)
    _write(wanted, grades, found)
    output().print(by_set_table(grades))
    if wanted.families:
        output().print()
        output().print(families_table(grades))
    for line in changes(earlier, grades) if earlier is not None else ():
        output().print(line, markup=False, highlight=False, soft_wrap=True)
    below = list(missed(bars, found))
    for line in below:
        print(line, file=sys.stderr)
    if below:
        raise SystemExit(1)


def find(folders: Sequence[Path]) -> list[tuple[str, Path]]:
    """Every bundle with a ground truth and the name of its set. Raises BadBundle where there is none."""
    for folder in folders:
        if not folder.is_dir():
            raise BadBundle(f"{folder}: is no folder; name folders that hold bundles with an {TRUTH}")
    found = [
        ("/".join([_set_name(folder), *path.parts[len(folder.parts) : -1]]), path)
        for folder in (each.resolve() for each in folders)
        for path in sorted(file.parent for file in folder.rglob(TRUTH))
    ]
    if not found:
        raise BadBundle(f"{', '.join(map(str, folders))}: holds no bundle with an {TRUTH}")
    return found


async def graded(bundles: Sequence[tuple[str, Path]]) -> list[Grade]:
    """Replay and grade, one after the other."""
    known = [read_expected(path) for _, path in bundles]
    others = term_groups(known)
    grades = []
    async with open_house(load_settings()) as house:
        for n, ((group, path), expected) in enumerate(zip(bundles, known, strict=True), 1):
            grades.append(await _grade(house, group, path, expected, others))
            print(f"{n}/{len(bundles)} {grades[-1].line}", file=sys.stderr)
    return grades


async def _grade(house: House, group: str, path: Path, expected: Expected, others: tuple[Groups, ...]) -> Grade:
    begun = time.monotonic()
    try:
        with open_bundle(path) as bundle:
            outcome = await replay(house, bundle)
            seconds = time.monotonic() - begun
            truth = Truth(expected, BundleText(bundle), others)
            shown = markdown(outcome.report, house.settings.lang)
            return grade(path.name, group, truth, outcome.document, shown, seconds)
    except FishboneError as exc:
        return Grade(path.name, group, expected.told_family, expected.verdict, error=str(exc),
                     seconds=round(time.monotonic() - begun, 3))  # fmt: skip


def _set_name(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}" if folder.name in PARTS else folder.name


def _write(wanted: Wanted, grades: list[Grade], found: dict[str, float]) -> None:
    whole = {
        "summary": found,
        "sets": {name: figures(of) for name, of in by_set(grades).items()},
        "bundles": [asdict(each) for each in grades],
    }
    try:
        if wanted.json_file is not None:
            wanted.json_file.write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        if wanted.chart is not None:
            wanted.chart.write_text(chart(grades), encoding="utf-8")
    except OSError as exc:
        raise BadConfiguration(f"{exc.filename}: cannot be written: {exc.strerror}") from exc
