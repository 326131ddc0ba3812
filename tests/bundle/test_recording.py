"""A flight recording gives back what was recorded, or says that it cannot."""

from pathlib import Path

import pytest

from bundle.bundle import open_bundle
from bundle.recording import CallRecord, read_recording, write_recording
from bundle.write import write_incident, written_folder
from domain.codec import Json, digest
from domain.errors import BadBundle
from domain.evidence import Coverage
from tests.bundle.conftest import Make

FIRST: Json = {"lines": ["ü", 1.5, None], "n": 1}
SECOND: Json = {"lines": [], "n": 2}


def call(number: int, data: Json, agent: str = "log", **arguments: Json) -> CallRecord:
    return CallRecord(
        f"{agent}.{number}", agent, "logs_search", arguments, "ok", sha256=digest(data), text="text\n", version="1",
        coverage=Coverage(f"{agent}.{number}", "logs/a.log", "ok", matched=2), started_at="2026-03-01T12:00:00Z",
        seconds=0.1,
    )  # fmt: skip


@pytest.fixture
def recorded(make: Make, tmp_path: Path) -> Path:
    calls = [call(1, FIRST, grep="x"), call(2, SECOND, grep="x"), call(3, FIRST, tail_n=5)]
    calls.append(CallRecord("log.4", "log", "logs_search", {"grep": "("}, "invalid", "no RE2 pattern"))
    with written_folder(tmp_path / "out") as folder:
        write_incident(open_bundle(make()), folder)
        write_recording(folder, calls, {digest(FIRST): FIRST, digest(SECOND): SECOND}, {"contract": "1"})
    return tmp_path / "out"


def test_calls_are_answered_in_their_order(recorded: Path) -> None:
    bundle = open_bundle(recorded)
    assert bundle.is_recording and bundle.files() == ()
    recording = read_recording(bundle)
    assert recording.contract == {"contract": "1"} and recording.calls[0] == call(1, FIRST, grep="x")
    answers = [recording.answer("log", "logs_search", {"grep": "x"}) for _ in range(3)]
    assert [answer and answer.data for answer in answers] == [FIRST, SECOND, SECOND]
    refused = recording.answer("log", "logs_search", {"grep": "("})
    assert refused is not None and refused.data is None and refused.record.status == "invalid"


def test_a_call_that_was_not_made_is_counted(recorded: Path) -> None:
    recording = read_recording(open_bundle(recorded))
    assert recording.answer("metric", "logs_search", {"grep": "x"}) is None
    assert recording.answer("log", "logs_search", {"grep": "y"}) is None
    assert recording.missed == 2


def test_a_result_that_was_changed_is_named(recorded: Path) -> None:
    (recorded / "results" / digest(SECOND)).write_text('{"lines":[],"n":3}')
    with pytest.raises(BadBundle, match=rf"results/{digest(SECOND)}: is not what was recorded"):
        read_recording(open_bundle(recorded))


def test_a_missing_result_and_a_broken_call_are_named(recorded: Path) -> None:
    (recorded / "results" / digest(SECOND)).unlink()
    with pytest.raises(BadBundle, match=rf"results/{digest(SECOND)}: the bundle has no such file"):
        read_recording(open_bundle(recorded))
    (recorded / "calls.jsonl").write_text('{"call_id": "log.1"}\n')
    with pytest.raises(BadBundle, match=r"calls\.jsonl:1: agent: "):
        read_recording(open_bundle(recorded))
    (recorded / "calls.jsonl").write_text("{\n")
    with pytest.raises(BadBundle, match=r"calls\.jsonl:1: broken JSON"):
        read_recording(open_bundle(recorded))


def test_a_hash_that_is_a_path_is_refused(recorded: Path) -> None:
    lines = (recorded / "calls.jsonl").read_text().replace(digest(SECOND), "../../../etc/passwd")
    (recorded / "calls.jsonl").write_text(lines)
    with pytest.raises(BadBundle, match=r"calls\.jsonl:2: sha256: no such hash"):
        read_recording(open_bundle(recorded))
