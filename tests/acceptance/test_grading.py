"""`fishbone eval` grades as the scorer does: the same reports, graded both ways."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from app.bundle_text import BundleText
from app.cli.eval import find
from app.grades import figures, grade
from app.truth import Expected, Truth, read_expected, term_groups
from bundle.bundle import open_bundle
from report.markdown import markdown
from tests.acceptance.conftest import ROOT, SHIPPED, Running

SHARED = ROOT.parent / "shared"
PER_SET = 2
SAME = (
    "verdict", "top1", "top3", "place", "commit_right", "decoy", "abstained", "confident_wrong", "confidence", "entity",
    "fault", "entity_ok", "soup", "citations", "citations_found", "unquoted", "uncited", "statements",
    "statements_cited",
)  # fmt: skip
FIGURES = {
    "ac_at_1": "ac_at_1", "ac_at_3": "ac_at_3", "avg_at_5": "avg_at_5", "abstained": "abstain_rate", "brier": "brier",
    "confident_wrong": "confident_wrong_rate", "confident_right": "confident_right", "grounded": "grounded_share",
    "citations_verbatim": "citation_share", "healthy_blamed": "healthy_blamed", "commits_right": "commits_right",
}  # fmt: skip


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    """The scorer, which is no part of the project."""
    file = SHARED / "score.py"
    if not file.is_file():
        pytest.skip("the scorer is not beside the checkout")
    spec = importlib.util.spec_from_file_location("score", file)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules["score"] = found
    spec.loader.exec_module(found)
    return found


def some() -> list[Path]:
    """The first and a middle bundle of every set, and of the shipped ones."""
    cases = SHARED / "cases"
    sets = [folder for folder in sorted(cases.iterdir()) if folder.is_dir()] if cases.is_dir() else []
    found: list[Path] = []
    for folder in (*sets, SHIPPED):
        bundles = [file.parent for file in sorted(folder.rglob("expected.yaml"))]
        found += bundles[:: max(1, len(bundles) // PER_SET)][:PER_SET]
    return found


def test_every_report_gets_the_same_grades_against_every_answer(scorer: ModuleType, running: Running) -> None:
    """Each report is held against its own answer and against all others, which makes wrong ones of all kinds."""
    paths = some()
    reports = {}
    for path in paths:
        outcome = running.replay(path)
        reports[path] = (json.loads(json.dumps(outcome.document)), markdown(outcome.report, "en"))
    answers = scorer.answers(paths)
    others = term_groups([read_expected(path) for path in paths])
    ours, theirs = [], []
    for path in paths:
        expected = scorer.load(path / "expected.yaml")
        case = scorer.Case(expected, scorer.Evidence(path), answers)
        with open_bundle(path) as bundle:
            truth = Truth(read_expected(path), BundleText(bundle), others)
            for report, shown in reports.values():
                place = 0 if scorer.is_by_name(expected) else None
                right = False if "not_entities" in expected else None
                empty = scorer.Grade("x", "x", "", expected["verdict"], place=place, commit_right=right)
                theirs.append(scorer.judged(empty, report, shown.encode(), case))
                ours.append(grade("x", "x", truth, report, shown, 0.0))
    assert len(ours) == len(paths) ** 2
    assert len({mine.outcome for mine in ours}) >= 4
    for mine, other in zip(ours, theirs, strict=True):
        assert {name: getattr(mine, name) for name in SAME} == {name: getattr(other, name) for name in SAME}
        assert list(mine.leaks) == other.leaks
    here, there = figures(ours), scorer.summary(theirs)
    assert {name: here[name] for name in FIGURES} == {name: there[of] for name, of in FIGURES.items()}


def test_sets_are_named_as_the_scorer_names_them(scorer: ModuleType) -> None:
    folders = [SHIPPED, SHARED / "cases"]
    assert [(path, name) for name, path in find(folders)] == scorer.find_bundles(folders, None)


ENTITIES = (
    "service:web", "web", "pod:shop/web-7f9c8", "web, db", "database:orders-db", "process:web worker of the shop now",
    "query:select 1 from web where a and b", "container:shop_web_1", "service:webhook", "x" * 130,
    "host:web.example.org",
)  # fmt: skip
ACCEPTED: tuple[dict[str, Any], ...] = (
    {"entities": ["web"]},
    {"entities": ["service:web"]},
    {"entities": ["process:"]},
    {"entities": ["service:web"], "match": "exact"},
    {"entities": ["web"], "not_entities": ["web-7f9c8"]},
)


def test_names_are_accepted_as_the_scorer_accepts_them(scorer: ModuleType, tmp_path: Path) -> None:
    source = SHIPPED / "invoice-batches-fail"
    for name in ("incident.yaml", "alert.json"):
        (tmp_path / name).write_bytes((source / name).read_bytes())
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "shop.log").write_text("pod shop web 7f9c8 at orders db\n")
    for accepted in ACCEPTED:
        whole = {"verdict": "root_cause", "terms": [["x"], ["y"]], **accepted}
        evidence = scorer.Evidence(tmp_path)
        with open_bundle(tmp_path) as bundle:
            truth = Truth(Expected.model_validate(whole), BundleText(bundle))
            for entity in ENTITIES:
                wanted = scorer.names_entity(entity, whole, evidence)
                assert truth.names(entity, truth.text) == wanted, (entity, accepted)


QUOTES = ("a line that is long", "short", "pw=[redacted:password:12ab] end", "not there at all", 'say "hi" to all now')


def test_quotes_are_verbatim_where_the_scorer_finds_them(scorer: ModuleType, tmp_path: Path) -> None:
    source = SHIPPED / "invoice-batches-fail"
    for name in ("incident.yaml", "alert.json"):
        (tmp_path / name).write_bytes((source / name).read_bytes())
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text("a line that\x1b[0m is long\r\nshort\npw=hunter2 end\n")
    (tmp_path / "logs" / "b.jsonl").write_text(json.dumps({"m": ['say "hi" to all now']}) + "\nno json\n")
    evidence = scorer.Evidence(tmp_path)
    with open_bundle(tmp_path) as bundle:
        text = BundleText(bundle)
        found = {(q, s): text.holds(q, s) for q in QUOTES for s in ("", "logs/a", "logs/a.log", "logs/b.jsonl", "no")}
    assert found == {(q, s): evidence.holds(q, s) for q, s in found}
    assert len(set(found.values())) == 2


def test_an_expected_file_may_hold_numbers(tmp_path: Path) -> None:
    (tmp_path / "expected.yaml").write_text("verdict: root_cause\nentities: [7]\nterms: [[5432]]\n")
    assert told_by(read_expected(tmp_path)) == (["7"], [["5432"]])


def told_by(expected: Expected) -> tuple[list[str], list[list[str]]]:
    return expected.entities, expected.terms
