"""`fishbone eval --model X --against offline`: the two side by side."""

import json
import shutil
from pathlib import Path

import pytest

from tests.acceptance.conftest import SHIPPED, Inside, Running, Said
from tests.models.behaviours import breaks
from tests.models.house import INCIDENT, good_model
from tests.models.server import Behaviour, scripted


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A folder with one incident."""
    shutil.copytree(INCIDENT, tmp_path / "set" / INCIDENT.name)
    return tmp_path / "set"


def evaluated(running: Running, inside: Inside, then: Behaviour, *words: str | Path) -> Said:
    context = scripted(then=then)
    server = running.runner.run(context.__aenter__())
    prices = {"FISHBONE_FAST_PRICE_IN": "1", "FISHBONE_FAST_PRICE_OUT": "4"}
    try:
        tier = {"FISHBONE_FAST_BASE_URL": server.url, "FISHBONE_FAST_MODEL": "m1", "FISHBONE_TIER": "fast"}
        return inside("eval", *words, **tier, **prices)
    finally:
        running.runner.run(context.__aexit__(None, None, None))


def test_a_good_model_is_as_right_and_costs_something(
    running: Running, inside: Inside, one: Path, tmp_path: Path
) -> None:
    good, told = good_model(running), tmp_path / "told.json"
    done = evaluated(running, inside, good, one, "--model", "fast", "--against", "offline", "--json", told)
    assert done.code == 0, done.err
    summary = json.loads(told.read_text())["summary"]
    assert summary["offline"]["ac_at_1"] == summary["m1"]["ac_at_1"] == 1.0
    assert summary["m1"]["agrees_on_cause"] == summary["m1"]["model_alone_right"] == 1.0
    assert summary["m1"]["tokens_total"] > 1000 > summary["offline"]["tokens_total"] == 0
    assert summary["m1"]["cost_total"] > 0 and summary["m1"]["model_calls"] == good.answered
    assert summary["m1"]["claims"] > 0 and summary["m1"]["unsupported_claims"] == 0
    rows = [line.split("  ")[0].strip() for line in done.out.splitlines()]
    assert {"ac at 1", "tokens total", "cost total", "agrees on cause", "unsupported claims"} <= set(rows)


def test_a_model_that_is_away_is_counted_and_harms_nothing(
    running: Running, inside: Inside, one: Path, tmp_path: Path
) -> None:
    told = tmp_path / "told.json"
    done = evaluated(running, inside, breaks(), one, "--model", "m1", "--json", told)
    assert done.code == 0, done.err
    summary = json.loads(told.read_text())["summary"]
    assert summary["m1"]["model_gave_nothing"] == 1
    assert summary["m1"]["ac_at_1"] == summary["offline"]["ac_at_1"] == 1.0


def test_it_is_held_against_the_analyst_and_nothing_else(inside: Inside) -> None:
    done = inside("eval", SHIPPED, "--model", "fast", "--against", "deep")
    assert done.code == 2 and "--against deep" in done.err


def test_it_goes_with_no_option_that_it_would_leave_out(inside: Inside) -> None:
    done = inside("eval", SHIPPED, "--model", "fast", "--bar", "ac_at_1=1")
    assert done.code == 2 and "--model goes with" in done.err
