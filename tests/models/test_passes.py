"""Two passes: the analyst's diagnosis first, a model's beside it, and one report that reads both."""

import json
import shutil
from pathlib import Path

import pytest

from agents.gateway.tape import Playback, Tape, Taped
from bundle.recording import ReplyRecord
from domain.errors import ModelFailed
from tests.acceptance.conftest import Running
from tests.acceptance.test_truth import without_run
from tests.models.behaviours import breaks, hangs, says
from tests.models.house import INCIDENT, Asked, good_model, with_model


@pytest.fixture(scope="module")
def recorded(running: Running, tmp_path_factory: pytest.TempPathFactory) -> tuple[Asked, Path]:
    """A run with a good model, and its recording."""
    out = tmp_path_factory.mktemp("models") / "recorded"
    return running.runner.run(with_model(running.house(), INCIDENT, then=good_model(running), out=out)), out


def test_one_report_has_the_evidence_of_both(recorded: tuple[Asked, Path]) -> None:
    report = recorded[0].report
    assert {each["by"] for each in report["evidence"]} == {"analyst", "m1"}
    assert report["run"]["models"] == ["analyst", "m1"]
    assert report["run"]["tokens"] > 0


def test_the_model_is_not_shown_what_the_analyst_concluded(recorded: tuple[Asked, Path]) -> None:
    asked, _ = recorded
    first = [each["conclusion"] for each in asked.report["evidence"] if each["by"] == "analyst"]
    told = json.dumps([r.body for r in asked.server.requests if not any(m["role"] == "assistant" for m in r.messages)])
    assert first and not any(json.dumps(text)[1:-1] in told for text in first)


def test_a_model_that_agrees_leaves_the_diagnosis_as_it_was(recorded: tuple[Asked, Path], running: Running) -> None:
    alone, both = running.replay(INCIDENT).document, recorded[0].report
    assert both["verdict"] == alone["verdict"]
    assert both["root_cause"]["fault"] == alone["root_cause"]["fault"]
    assert both["root_cause"]["entity"] == alone["root_cause"]["entity"]
    assert both["root_cause"]["confidence"] <= alone["root_cause"]["confidence"]


def test_the_report_tells_where_the_two_agree(recorded: tuple[Asked, Path]) -> None:
    told, text = recorded[0].report["comparison"], (recorded[1] / "report.md").read_text("utf-8")
    assert told["agreement"] == "cause" and told["shared"] > 0
    assert (told["analyst"]["by"], told["model"]["by"]) == ("analyst", "m1")
    assert "## Model against analyst\n\nThey name the same cause." in text


def test_a_report_without_a_model_has_no_comparison(running: Running, tmp_path: Path) -> None:
    document = running.replay(INCIDENT, tmp_path / "alone").document
    assert "comparison" not in document and document["run"]["models"] == ["analyst"]
    assert "Model against analyst" not in (tmp_path / "alone" / "report.md").read_text("utf-8")
    assert not (tmp_path / "alone" / "models.jsonl").exists()


def test_a_recording_with_a_model_gives_the_same_bytes_without_it(
    recorded: tuple[Asked, Path],
    running: Running,
    tmp_path: Path,
) -> None:
    outcome = running.replay(recorded[1], tmp_path / "again")
    assert outcome.unanswered == ()
    assert without_run(tmp_path / "again") == without_run(recorded[1])
    replies = [(folder / "models.jsonl").read_text().splitlines() for folder in (recorded[1], tmp_path / "again")]
    assert len(replies[0]) == len(replies[1]) == len(recorded[0].outcome.replies)
    spent = [(run["tokens"], run["cost"]) for run in (recorded[0].report["run"], outcome.document["run"])]
    assert spent[0] == spent[1] and spent[0][0] > 0


async def test_what_was_known_and_paid_when_a_reply_was_recorded_is_known_when_it_is_played_back() -> None:
    replies = [
        ReplyRecord("log", n, "m1", "", False, {"content": f"reply {n}"}, window=1000 * n, correction=n, cost=n / 10)
        for n in (1, 2)
    ]
    tape = Tape(lambda told: told)
    log, metric = (Taped(inner=each, tape=tape) for each in Playback.each(replies, ("log", "metric")).values())
    assert (log.window, metric.window) == (1000, 0)
    for n in (1, 2):
        assert (await log.ainvoke("?", config={"metadata": {"agent": "log"}})).content == f"reply {n}"
        assert (log.window, log.correction) == (1000 * n, n)
    assert [(each.window, each.cost) for each in tape.records] == [(1000, 0.1), (2000, 0.2)]
    with pytest.raises(ModelFailed, match="metric agent"):
        await metric.ainvoke("?", config={"metadata": {"agent": "metric"}})


def test_a_reply_that_was_not_recorded_is_counted_and_a_gap(
    recorded: tuple[Asked, Path],
    running: Running,
    tmp_path: Path,
) -> None:
    cut = shutil.copytree(recorded[1], tmp_path / "cut")
    lines = (cut / "models.jsonl").read_text().splitlines(keepends=True)
    last = max(n for n, line in enumerate(lines) if json.loads(line)["agent"] == "log")
    (cut / "models.jsonl").write_text("".join(line for n, line in enumerate(lines) if n != last))
    outcome = running.replay(cut)
    assert "log: a reply of m1" in outcome.unanswered
    assert "the recording holds no further reply to the log agent" in json.dumps(outcome.document["gaps"])


def test_where_the_model_gives_nothing_the_analysts_report_stands_and_says_why(
    running: Running,
    tmp_path: Path,
) -> None:
    alone = running.replay(INCIDENT, tmp_path / "alone").document
    asked = running.runner.run(with_model(running.house(), INCIDENT, then=breaks(503), out=tmp_path / "both"))
    assert asked.outcome.failed and "comparison" not in asked.report
    assert "the second pass, by m1" in asked.gaps
    same = ("verdict", "root_cause", "hypotheses", "evidence", "actions", "citations", "coverage", "alerts")
    assert {key: asked.report[key] for key in same} == {key: alone[key] for key in same}
    assert "the second pass, by m1" in (tmp_path / "both" / "report.md").read_text("utf-8")
    running.replay(tmp_path / "both", tmp_path / "again")
    assert without_run(tmp_path / "again") == without_run(tmp_path / "both")


def test_prose_without_a_citation_stands_under_not_verified(running: Running, tmp_path: Path) -> None:
    said = says(
        json.dumps({"conclusion": "The flux capacitor is empty.", "findings": [], "open_questions": [], "gaps": []})
    )
    asked = running.runner.run(with_model(running.house(), INCIDENT, then=said, out=tmp_path / "prose"))
    assert any("flux capacitor" in told for told in asked.report["unverified"])
    assert asked.report["comparison"]["model"]["unsupported"] > 0
    assert asked.report["comparison"]["model"]["findings"] == 0


def test_a_call_that_its_agent_stops_waiting_for_is_logged_and_recorded(
    running: Running, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("agents.ask.CALL_SECONDS", 0.5)
    out = tmp_path / "slow"
    asked = running.runner.run(with_model(running.house(), INCIDENT, then=hangs(), out=out, timeout_seconds=30.0))
    assert set(map(str, asked.bench.log.failures)) == {"timeout"}
    assert {reply.failure for reply in asked.outcome.replies} <= {"time", "timeout"}
    assert len(asked.outcome.replies) == len(asked.bench.log.records)
    running.replay(out, tmp_path / "again")
    assert without_run(tmp_path / "again") == without_run(out)
