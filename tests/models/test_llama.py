"""One real model, small enough to say nonsense: the graph completes within its limits with a well-formed report,
whatever the model says. `make test-model` runs this; CI does not."""

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from agents.gateway.failures import Failure
from app.bootstrap import open_house
from app.investigation import Outcome
from app.passes import named
from app.replay import replay, write
from app.settings import Settings
from bundle.bundle import open_bundle
from domain.model_call import CallRecord
from report.schema import schema
from store import model_calls
from tests.acceptance.conftest import SHIPPED, Running
from tests.models import llama

pytestmark = pytest.mark.slow
SECONDS = 1800.0  # of the whole pass: a busy machine makes three tokens a second


@pytest.fixture(scope="module")
def llama_url() -> Iterator[str]:
    with llama.serving() as url:
        yield url


@pytest.fixture(scope="module")
def ran(
    llama_url: str, running: Running, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Outcome, list[CallRecord], Path]:
    """One shipped incident with the real model beside the analyst."""
    settings = Settings(
        data=running.data, database_url=running.dsn, fast_base_url=llama_url, fast_model=llama.MODEL, tier="fast",
        fast_timeout_seconds=600.0, fast_max_output=300, model_seconds=SECONDS,
    )  # fmt: skip
    out = tmp_path_factory.mktemp("llama") / "out"

    async def investigated() -> tuple[Outcome, list[CallRecord], Path]:
        async with open_house(settings, models=True) as house:
            with open_bundle(SHIPPED / "edge-502") as bundle:
                outcome = await replay(house, bundle, second=named(house.models, "fast"))
                write(outcome, bundle, house, out)
            async with house.database.connection() as connection:
                made = await model_calls.of_investigation(connection, outcome.report.run.investigation)
        return outcome, list(made), out

    return running.runner.run(investigated())


def test_the_report_is_well_formed(ran: tuple[Outcome, list[CallRecord], Path]) -> None:
    outcome, _, out = ran
    jsonschema.validate(json.loads((out / "report.json").read_text()), schema())
    assert outcome.document["run"]["models"] == ["analyst", llama.MODEL]
    assert outcome.document["root_cause"]["fault"] == "proxy.upstream_down"


def test_every_agent_asked_the_model_within_its_limits(ran: tuple[Outcome, list[CallRecord], Path]) -> None:
    outcome, made, _ = ran
    assert {record.agent for record in made} >= {"log", "metric", "infra", "runbook"}
    assert all(0 < record.window_share <= 1 for record in made)
    assert all(record.failure in {"", *Failure} for record in made)
    assert sum(record.prompt_tokens + record.completion_tokens for record in made) <= 150_000
    assert outcome.report.run.seconds <= SECONDS + 120


def test_what_the_model_says_is_cited_or_not_verified(ran: tuple[Outcome, list[CallRecord], Path]) -> None:
    report = ran[0].document
    theirs = [f for e in report["evidence"] if e["by"] == llama.MODEL for f in e["findings"]]
    assert all(finding["citations"] for finding in theirs)


def test_the_recording_replays_without_the_model(
    ran: tuple[Outcome, list[CallRecord], Path], running: Running, tmp_path: Path
) -> None:
    again = running.replay(ran[2], tmp_path / "again")
    was, now = (json.loads((folder / "report.json").read_text()) for folder in (ran[2], tmp_path / "again"))
    assert again.unanswered == ()
    assert {key: was[key] for key in was if key != "run"} == {key: now[key] for key in now if key != "run"}
