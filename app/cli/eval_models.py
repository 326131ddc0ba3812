"""`fishbone eval --model X --against offline`: every incident by the analyst alone, and with a model beside it."""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from app.agreement import Side, side_by_side, side_of, summary
from app.bootstrap import House, open_house
from app.bundle_text import BundleText
from app.cli.eval import find
from app.cli.screen import output
from app.grades import Grade, grade
from app.investigation import Outcome, Second
from app.passes import named
from app.replay import replay
from app.settings import load_settings
from app.truth import Groups, Truth, read_expected, term_groups
from bundle.bundle import Bundle, open_bundle
from domain.codec import Json
from domain.errors import BadConfiguration, FishboneError
from report.markdown import markdown

OFFLINE = "offline"
Pair = tuple[Side, Side]


def run_eval_models(folders: Sequence[Path], model: str, against: str, json_file: Path | None) -> None:
    """Grade both, and print them side by side. Raises BadConfiguration for a model that is not set."""
    if against != OFFLINE:
        raise BadConfiguration(f"--against {against}: a model is held against `{OFFLINE}`, the analyst alone")
    name, pairs = asyncio.run(_pairs(find(folders), model))
    offline, beside = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    _write(json_file, name, offline, beside)
    output().print(side_by_side(offline, beside, name))


async def _pairs(bundles: Sequence[tuple[str, Path]], model: str) -> tuple[str, list[Pair]]:
    others = term_groups([read_expected(path) for _, path in bundles])
    pairs = []
    async with open_house(load_settings(), models=True) as house:
        second = named(house.models, model)
        for n, (group, path) in enumerate(bundles, 1):
            pairs.append(await _pair(house, second, group, path, others))
            print(f"{n}/{len(bundles)} {pairs[-1][1].line}", file=sys.stderr)
    return second.name, pairs


async def _pair(house: House, second: Second, group: str, path: Path, others: tuple[Groups, ...]) -> Pair:
    expected = read_expected(path)
    try:
        with open_bundle(path) as bundle:
            truth = Truth(expected, BundleText(bundle), others)
            alone, seconds = await _timed(house, bundle, None)
            first = Side(_graded(house, group, path, truth, alone, seconds), seconds)
            both, seconds = await _timed(house, bundle, second)
            graded = _graded(house, group, path, truth, both, seconds)
            alone_right = _right_alone(truth, both.document)
            return first, side_of(graded, seconds, both.document, len(both.replies), alone_right, both.failed)
    except FishboneError as exc:
        side = Side(Grade(path.name, group, expected.told_family, expected.verdict, error=str(exc)), 0.0)
        return side, side


async def _timed(house: House, bundle: Bundle, second: Second | None) -> tuple[Outcome, float]:
    begun = time.monotonic()
    outcome = await replay(house, bundle, second=second)
    return outcome, time.monotonic() - begun


def _graded(house: House, group: str, path: Path, truth: Truth, outcome: Outcome, seconds: float) -> Grade:
    shown = markdown(outcome.report, house.settings.lang)
    return grade(path.name, group, truth, outcome.document, shown, seconds)


def _right_alone(truth: Truth, document: Json) -> bool:
    """Whether the model by itself would have named an accepted entity, or seen that nothing is wrong."""
    told = (document.get("comparison") or {}).get("model") or {}
    if truth.expected.verdict != "root_cause":
        return bool(told.get("verdict") == truth.expected.verdict)
    return bool(told.get("entity")) and truth.names(str(told["entity"]), truth.text)


def _write(json_file: Path | None, name: str, offline: Sequence[Side], beside: Sequence[Side]) -> None:
    if json_file is None:
        return
    whole = {
        "model": name,
        "summary": {OFFLINE: summary(offline), name: summary(beside)},
        "bundles": [{OFFLINE: asdict(a), name: asdict(b)} for a, b in zip(offline, beside, strict=True)],
    }
    try:
        json_file.write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as exc:
        raise BadConfiguration(f"{exc.filename}: cannot be written: {exc.strerror}") from exc
