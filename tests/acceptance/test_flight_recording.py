"""Every run is recorded, and a replay of the recording gives the same bytes."""

import json
import shutil
from pathlib import Path

import pytest

from tests.acceptance.conftest import SHIPPED, Cli, Running
from tests.acceptance.test_truth import INCIDENT, without_run

FAULTY = sorted(path.name for path in SHIPPED.iterdir() if path.is_dir() and not path.name.endswith(("healthy", "__")))


@pytest.fixture(scope="module")
def recorded(running: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording of a shipped incident."""
    folder = tmp_path_factory.mktemp("flight") / "recorded"
    running.replay(SHIPPED / INCIDENT, folder)
    return folder


@pytest.mark.parametrize("name", FAULTY[:4])
def test_two_replays_of_a_bundle_give_the_same_bytes(name: str, running: Running, tmp_path: Path) -> None:
    for out in ("a", "b"):
        running.replay(SHIPPED / name, tmp_path / out)
    assert without_run(tmp_path / "a") == without_run(tmp_path / "b")
    results = [{p.name: p.read_bytes() for p in (tmp_path / out / "results").iterdir()} for out in ("a", "b")]
    assert results[0] == results[1]
    drawn = [{p.name: p.read_bytes() for p in (tmp_path / out).rglob("*.svg")} for out in ("a", "b")]
    assert drawn[0] == drawn[1]


def test_a_recording_is_a_bundle_and_gives_the_same_report(recorded: Path, cli: Cli, tmp_path: Path) -> None:
    assert {"incident.yaml", "alert.json", "calls.jsonl", "results", "contract.json"} <= {
        p.name for p in recorded.iterdir()
    }
    done = cli("replay", recorded, "--out", "again")
    assert done.returncode == 0, done.stderr
    assert "could not be answered" not in done.stderr
    assert without_run(tmp_path / "again") == without_run(recorded)
    assert not [p.name for p in recorded.iterdir() if p.name in ("logs", "metrics", "docker")]


def test_a_call_that_was_not_recorded_is_counted_and_a_gap(recorded: Path, running: Running, tmp_path: Path) -> None:
    cut = shutil.copytree(recorded, tmp_path / "cut")
    calls = (cut / "calls.jsonl").read_text().splitlines(keepends=True)
    (cut / "calls.jsonl").write_text("".join(line for line in calls if '"containers_inspect"' not in line))
    outcome = running.replay(cut)
    assert [each for each in outcome.unanswered if "containers_inspect" in each]
    gaps = [gap["why"] for gap in outcome.document["gaps"]]
    assert "the recording holds no answer to containers_inspect with these arguments" in "\n".join(gaps)


def test_calls_that_could_not_be_answered_are_told_on_the_terminal(recorded: Path, cli: Cli, tmp_path: Path) -> None:
    cut = shutil.copytree(recorded, tmp_path / "cut")
    (cut / "calls.jsonl").write_text("")
    done = cli("replay", cut)
    assert done.returncode == 0 and "calls could not be answered from the recording" in done.stderr
    assert "Undetermined" in done.stdout


def test_evidence_asks_the_files_again(recorded: Path, running: Running, tmp_path: Path) -> None:
    both = shutil.copytree(SHIPPED / INCIDENT, tmp_path / INCIDENT)
    (both / "calls.jsonl").write_text("")
    shutil.copytree(recorded / "results", both / "results")
    running.replay(both, tmp_path / "again", from_files=True)
    assert without_run(tmp_path / "again") == without_run(recorded)


def test_a_recorded_failure_fails_again(recorded: Path, running: Running, tmp_path: Path) -> None:
    broken = shutil.copytree(recorded, tmp_path / "broken")
    lines = [json.loads(line) for line in (broken / "calls.jsonl").read_text().splitlines()]
    for line in lines:
        if line["tool"] == "host_snapshot":
            line |= {"status": "unavailable", "error": "the host did not answer", "sha256": ""}
    (broken / "calls.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = running.replay(broken).document
    assert "the host did not answer" in json.dumps(report["gaps"])
    (row,) = {r["status"] for r in report["coverage"] if r["source"] == "host_snapshot"}
    assert row == "unavailable"
