"""`fishbone replay --model` and `--contract`, as a person types them."""

import json
import re
import shutil
from pathlib import Path

import pytest

from domain.codec import digest
from tests.acceptance.conftest import Inside, Running, Said
from tests.models.house import INCIDENT, good_model
from tests.models.mimic import Mimic
from tests.models.server import scripted


@pytest.fixture
def good(running: Running) -> Mimic:
    return good_model(running)


def replayed(running: Running, inside: Inside, good: Mimic, *words: str | Path, **settings: str) -> Said:
    """The command with a fast tier that is the scripted server."""
    context = scripted(then=good)
    server = running.runner.run(context.__aenter__())
    try:
        tier = {"FISHBONE_FAST_BASE_URL": server.url, "FISHBONE_FAST_MODEL": "m1", "FISHBONE_TIER": "fast"}
        return inside("replay", *words, **(tier | settings))
    finally:
        running.runner.run(context.__aexit__(None, None, None))


def test_a_recording_is_answered_to_another_model_and_the_reports_are_compared(
    running: Running, inside: Inside, good: Mimic, tmp_path: Path
) -> None:
    recorded = tmp_path / "recorded"
    running.replay(INCIDENT, recorded)
    done = replayed(running, inside, good, recorded, "--model", "fast", "--out", tmp_path / "with")
    assert done.code == 0, done.err
    rows = {line.split("  ")[0].strip(): line for line in done.out.splitlines()}
    assert rows["verdict"].split()[1:] == ["root_cause", "root_cause"]
    assert rows["agreement"].rstrip().endswith("differs") and "cause" in rows["agreement"]
    assert rows["findings"].rstrip().endswith("differs") and "of m1" in rows["findings"]
    assert rows["calls not in the recording"].split()[-1] == "0"
    report = json.loads((tmp_path / "with" / "report.json").read_text())
    assert report["run"]["models"] == ["analyst", "m1"] and (tmp_path / "with" / "models.jsonl").is_file()


def test_a_call_that_the_other_model_makes_and_the_recording_has_not_is_counted(
    running: Running, inside: Inside, good: Mimic, tmp_path: Path
) -> None:
    recorded = tmp_path / "recorded"
    running.replay(INCIDENT, recorded)
    good.calls["log"].insert(0, ("logs_search", {"grep": "never asked before"}))  # type: ignore[union-attr]
    done = replayed(running, inside, good, recorded, "--model", "m1")
    missed = re.search(r"(\d+) calls? could not be answered from the recording", done.err)
    assert done.code == 0 and missed is not None
    assert re.search(rf"calls not in the recording +{missed[1]}", done.out)


def test_a_model_that_is_not_set_is_one_clear_line(inside: Inside) -> None:
    done = inside("replay", INCIDENT, "--model", "deep")
    assert done.code == 2 and done.err.strip().splitlines()[-1].startswith("fishbone: --model deep: ")
    assert "FISHBONE_FAST_BASE_URL" in done.err


def test_prompts_come_from_the_recording_that_is_named(
    running: Running, inside: Inside, good: Mimic, tmp_path: Path
) -> None:
    recorded = tmp_path / "recorded"
    running.replay(INCIDENT, recorded)
    known = json.loads((recorded / "contract.json").read_text())
    assert "agents/log.md" in known["texts"]
    done = replayed(running, inside, good, INCIDENT, "--model", "fast", "--contract", recorded, "--out", tmp_path / "o")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "o" / "contract.json").read_text())["sha256"] == known["sha256"]


def test_what_ran_with_the_prompts_of_another_time_is_a_contract_of_its_own(
    running: Running, inside: Inside, good: Mimic, tmp_path: Path
) -> None:
    recorded = tmp_path / "recorded"
    running.replay(INCIDENT, recorded)
    texts = json.loads((recorded / "contract.json").read_text())["texts"]
    old = texts | {"agents/log.md": texts["agents/log.md"] + "\nBe brief.\n", "settings/loop.json": "{}"}
    (recorded / "contract.json").write_text(json.dumps({"sha256": digest(dict(sorted(old.items()))), "texts": old}))
    done = replayed(running, inside, good, INCIDENT, "--model", "fast", "--contract", recorded, "--out", tmp_path / "o")
    assert done.code == 0, done.err
    ran = json.loads((tmp_path / "o" / "contract.json").read_text())
    assert ran["texts"] == texts | {"agents/log.md": old["agents/log.md"]}
    assert ran["sha256"] == digest(ran["texts"])


@pytest.mark.parametrize(
    ("content", "told"),
    [('{"sha256": "abc"}', "holds no prompts"), ('{"sha256": "abc", "texts": {"agents/log.md": "x"}}', "hash differs")],
)
def test_a_contract_that_holds_no_sound_prompts_is_one_clear_line(
    running: Running, inside: Inside, tmp_path: Path, content: str, told: str
) -> None:
    recorded = tmp_path / "recorded"
    running.replay(INCIDENT, recorded)
    broken = shutil.copytree(recorded, tmp_path / "broken")
    (broken / "contract.json").write_text(content)
    done = inside("replay", INCIDENT, "--contract", broken)
    assert done.code == 2 and told in done.err


def test_an_unknown_version_is_one_clear_line(inside: Inside) -> None:
    done = inside("replay", INCIDENT, "--contract", "v0")
    assert done.code == 2 and "--contract v0" in done.err
