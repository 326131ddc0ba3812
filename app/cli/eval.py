"""`fishbone eval`: replays incidents in one process, and grades the reports against their ground truth."""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from app.bootstrap import House, open_house
from app.cli.screen import output
from app.grades import Grade, numbers, table
from app.replay import replay
from app.settings import load_settings
from app.truth import Truth, read_expected
from bundle.bundle import Bundle, open_bundle
from domain.errors import BadBundle, BadConfiguration, FishboneError
from report.markdown import markdown


def run_eval(folders: Sequence[Path], json_file: Path | None, bars: Sequence[str]) -> None:
    """Grade every bundle below the folders. Exit 1 below a bar, or when there was nothing to grade."""
    wanted = [_bar(text) for text in bars]
    bundles = [(folder.name, path) for folder in folders for path in _bundles(folder)]
    if not bundles:
        raise BadBundle(f"{', '.join(map(str, folders))}: holds no bundle with an expected.yaml")
    grades = asyncio.run(_graded(bundles))
    output().print(table(grades))
    found = numbers(grades)
    if json_file is not None:
        whole = {"summary": found, "bundles": [vars(grade) for grade in grades]}
        json_file.write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    missed = [f"{key} is {found[key]}, the bar is {value}" for key, value in wanted if found[key] < value]
    for line in missed:
        print(line, file=sys.stderr)
    if missed:
        raise SystemExit(1)


def _bar(text: str) -> tuple[str, float]:
    key, _, value = text.partition("=")
    known = numbers([])
    try:
        if key in known:
            return key, float(value)
    except ValueError as exc:
        raise BadConfiguration(f"--bar {text}: {value!r} is no number") from exc
    raise BadConfiguration(f"--bar {text}: unknown key; the keys are {', '.join(known)}")


def _bundles(folder: Path) -> list[Path]:
    return sorted(file.parent for file in folder.rglob("expected.yaml"))


async def _graded(bundles: list[tuple[str, Path]]) -> list[Grade]:
    asked = [Truth(read_expected(path), "").groups for _, path in bundles]
    others = tuple(dict.fromkeys(groups for groups in asked if len(groups) > 1))
    grades = []
    async with open_house(load_settings()) as house:
        for n, (group, path) in enumerate(bundles, 1):
            grades.append(await _grade(house, group, path, others))
            print(f"{n}/{len(bundles)} {grades[-1].line}", file=sys.stderr)
    return grades


async def _grade(house: House, group: str, path: Path, others: tuple[tuple[tuple[str, ...], ...], ...]) -> Grade:
    expected, begun = read_expected(path), time.monotonic()
    try:
        with open_bundle(path) as bundle:
            outcome = await replay(house, bundle)
            seconds = time.monotonic() - begun
            truth = Truth(expected, words_of(bundle), others)
            shown = markdown(outcome.report, house.settings.lang)
            return Grade.of(path.name, group, truth, outcome.document, shown, seconds)
    except FishboneError as exc:
        return Grade(path.name, group, expected.verdict, error=str(exc), seconds=time.monotonic() - begun)


def words_of(bundle: Bundle) -> str:
    """All text of the bundle with its paths, lower-case, joints as blanks: what a name must stand in."""
    texts = [bundle.title, json.dumps(bundle.alert)]
    for name in bundle.files():
        texts.append(name)
        try:
            texts.append(bundle.read_text(name))
        except BadBundle:
            continue  # what cannot be read names nothing
    low = "\n".join(texts).lower()
    return " ".join("".join(" " if c in "_-./:@" else c for c in low).split())
