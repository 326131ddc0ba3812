"""The ground truth is for the scorer alone, and evidence reaches the agents through tools alone."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.replay import REPORT, write
from bundle.bundle import open_bundle
from bundle.recording import read_recording
from tests.acceptance.conftest import ROOT, SHIPPED, Running

INCIDENT = "invoice-batches-fail"
LIE = """\
verdict: healthy
entities: [planted-nonsense]
terms: [[planted]]
must_not_appear: [container, memory, invoice]
"""
POISON = "a: &a [x, x]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b\n\x00\xff"


def without_run(folder: Path) -> tuple[dict[str, Any], str]:
    """What two replays of one bundle have in common."""
    report = json.loads((folder / REPORT).read_text("utf-8"))
    del report["run"]
    return report, (folder / "report.md").read_text("utf-8").rpartition("\n## ")[0]


def copy_of(name: str, at: Path) -> Path:
    """A copy of a shipped incident, whose folder has the same name."""
    return shutil.copytree(SHIPPED / name, at / name)


@pytest.mark.parametrize("planted", [LIE, POISON, None], ids=["a lie", "poison", "nothing"])
def test_what_expected_yaml_says_changes_no_byte_of_the_report(
    planted: str | None, running: Running, tmp_path: Path
) -> None:
    running.replay(SHIPPED / INCIDENT, tmp_path / "true")
    bundle = copy_of(INCIDENT, tmp_path)
    (bundle / "expected.yaml").unlink()
    if planted is not None:
        (bundle / "expected.yaml").write_text(planted, encoding="latin-1")
    running.replay(bundle, tmp_path / "planted")
    assert without_run(tmp_path / "planted") == without_run(tmp_path / "true")


def test_no_tool_can_be_talked_into_reading_the_truth(running: Running, tmp_path: Path) -> None:
    bundle = copy_of(INCIDENT, tmp_path)
    (bundle / "expected.yaml").write_text("verdict: root_cause\nentities: [planted-nonsense]\n")
    change = {
        "time": "2026-11-30T13:50:00Z",
        "entity": "service:x",
        "kind": "commit",
        "id": "a",
        "diff": "expected.yaml",
    }
    (bundle / "changes.jsonl").write_text(json.dumps(change) + "\n")
    running.replay(bundle, tmp_path / "out")
    assert [p.name for p in (tmp_path / "out").rglob("*") if p.is_file() and "planted-nonsense" in p.read_text()] == []


WATCHED = """
import json, sys
from pathlib import Path
from tests.acceptance.measure import report_of

ROOT, bundle = Path.cwd(), sys.argv[1]
FOLDERS = tuple(f"{ROOT / name}/" for name in ("agents", "graph", "analysis", "report"))
opened = []

def watch(event, arguments):
    if event != "open" or not isinstance(arguments[0], str | bytes):
        return
    frame, by, starting = sys._getframe(1), "", False
    while frame is not None:
        code = frame.f_code
        by = by or (f"{code.co_filename}:{code.co_name}" if code.co_filename.startswith(FOLDERS) else "")
        starting = starting or code.co_name == "open_house" or code.co_filename.startswith("<frozen importlib")
        frame = frame.f_back
    if by and not starting:  # prompts are loaded when the house opens, modules when they are imported
        opened.append((str(arguments[0]), by))

sys.addaudithook(watch)
report = report_of(Path(bundle), sys.argv[2], Path(sys.argv[3]))
print(json.dumps({"opened": opened, "verdict": report["verdict"]}))
"""


def test_no_agent_node_or_tactic_opens_a_file(running: Running) -> None:
    running.house()
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, SHIPPED / INCIDENT, running.dsn, running.data],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = json.loads(done.stdout.splitlines()[-1])
    assert told == {"opened": [], "verdict": "root_cause"}


def test_with_bundle_and_runbooks_gone_the_recorded_answers_give_the_same_report(
    running: Running, tmp_path: Path
) -> None:
    books = shutil.copytree(ROOT / "runbooks" / "disk-full", tmp_path / "books" / "disk-full-too").parent
    text = (books / "disk-full-too" / "RUNBOOK.md").read_text()
    (books / "disk-full-too" / "RUNBOOK.md").write_text(
        text.replace("name: disk-full", "name: disk-full-too").replace("fault: disk.full", "fault: disk.full_too")
    )
    bundle = copy_of(INCIDENT, tmp_path)
    running.replay(bundle, tmp_path / "before", runbooks=str(books))
    opened = open_bundle(tmp_path / "before")
    assert read_recording(opened).calls
    shutil.rmtree(bundle)
    shutil.rmtree(books)
    outcome = running.replay(tmp_path / "before", runbooks=str(books))  # the house stands: it has loaded them
    write(outcome, opened, running.house(runbooks=str(books)), tmp_path / "after")
    assert outcome.unanswered == ()
    assert without_run(tmp_path / "after") == without_run(tmp_path / "before")
