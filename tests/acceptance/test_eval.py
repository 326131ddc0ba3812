"""`fishbone eval` from the command line: tables, files, bars, and one run against another."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app.bars import bar, missed
from app.grade_chart import bands
from app.grades import figures
from domain.errors import BadConfiguration
from tests.acceptance.conftest import SHIPPED, Inside

RIGHT, WRONG = "invoice-batches-fail", "thumbnails-missing"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two shipped incidents, of one of which the ground truth says something else."""
    for name in (RIGHT, WRONG):
        shutil.copytree(SHIPPED / name, tmp_path / "some" / name)
    truth = "verdict: root_cause\nfamily: tls\nentities: [nobody]\nterms: [[expired]]\nmust_not_appear: []\n"
    (tmp_path / "some" / WRONG / "expected.yaml").write_text(truth)
    return tmp_path / "some"


def test_a_run_writes_its_grades_and_its_chart(inside: Inside, folder: Path, tmp_path: Path) -> None:
    grades, chart = tmp_path / "grades.json", tmp_path / "chart.svg"
    said = inside("eval", folder, "--json", grades, "--chart", chart, "--families")
    assert said.code == 0
    told = json.loads(grades.read_text())
    assert told["summary"]["ac_at_1"] == 0.5
    assert {each["id"]: each["top1"] for each in told["bundles"]} == {RIGHT: True, WRONG: False}
    assert told["sets"].keys() == {"some"}
    assert any(line.split()[:3] == ["some", "2", "0.50"] for line in said.out.splitlines())
    assert any(line.split() == ["tls", "1", "0.00", "0.00", "runtime", "1"] for line in said.out.splitlines())
    words = [each.text for each in ElementTree.parse(chart).iter() if each.text]
    assert "some (2)" in words


def test_a_run_is_held_against_an_earlier_one(inside: Inside, folder: Path, tmp_path: Path) -> None:
    inside("eval", folder, "--json", tmp_path / "old.json")
    shutil.copy(SHIPPED / WRONG / "expected.yaml", folder / WRONG)
    (folder / RIGHT / "expected.yaml").write_text("verdict: healthy\n")
    said = inside("eval", folder, "--compare", tmp_path / "old.json")
    lines = said.out.splitlines()
    assert [line for line in lines if line in ("won: 1", "lost: 1", "changed: 0")] == [
        "won: 1",
        "lost: 1",
        "changed: 0",
    ]
    assert any(line.startswith(f"  some/{WRONG}: ") and " -> " in line for line in lines)
    assert "top1: 1 -> 1 of 2" in lines


@pytest.mark.parametrize(
    ("given", "code", "why"),
    [
        ("ac_at_1=0.5", 0, ""),
        ("ac_at_1=0.51", 1, "ac_at_1 is 0.5, the bar is 0.51 at least"),
        ("confident_wrong=0.5", 0, ""),
        ("confident_wrong=0.4", 1, "confident_wrong is 0.5, the bar is 0.4 at most"),
        ("ac_at_2=0.5", 2, "unknown key; the keys are bundles, ac_at_1"),
        ("ac_at_1=half", 2, "'half' is no number"),
    ],
)
def test_a_bar_that_is_not_kept_is_a_failure(inside: Inside, folder: Path, given: str, code: int, why: str) -> None:
    said = inside("eval", folder, "--bar", given)
    assert said.code == code
    assert why in said.err


@pytest.mark.parametrize("empty", ["nothing", "absent"])
def test_nothing_to_grade_is_a_failure(inside: Inside, tmp_path: Path, empty: str) -> None:
    (tmp_path / "nothing").mkdir()
    said = inside("eval", tmp_path / empty)
    assert said.code == 2
    assert str(tmp_path / empty) in said.err


def test_a_file_that_is_no_run_is_told(inside: Inside, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("[]")
    said = inside("eval", folder, "--compare", tmp_path / "old.json")
    assert said.code == 2
    assert "no grades that `fishbone eval --json` wrote" in said.err


def test_every_figure_can_be_a_bar_and_is_on_its_good_side_where_it_is_equal() -> None:
    found = figures([])
    assert list(missed([bar(f"{key}={value}") for key, value in found.items()], found)) == []
    with pytest.raises(BadConfiguration):
        bar("ac_at_1=nan")


def test_the_curve_has_a_point_for_each_tenth_that_was_said() -> None:
    found = bands([(0.05, False), (0.3, True), (0.35, False), (1.0, True)])
    assert [(band.right, band.count) for band in found] == [(0.0, 1), (0.5, 2), (1.0, 1)]
    assert found[1].said == pytest.approx(0.325)
