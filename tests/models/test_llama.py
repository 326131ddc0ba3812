"""One real model, small enough to say nonsense: the graph completes within its limits with a well-formed report,
whatever the model says. `make test-model` runs this; CI does not."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Ran:
    """One shipped incident with the real model beside the analyst, and its recording played back."""

    outcome: Outcome
    made: tuple[CallRecord, ...]
    again: Outcome


@pytest.fixture(scope="module")
def ran(llama_url: str, running: Running, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    settings = Settings(
        data=running.data, database_url=running.dsn, fast_base_url=llama_url, fast_model=llama.MODEL, tier="fast",
        fast_timeout_seconds=600.0, fast_max_output=300, model_seconds=SECONDS,
    )  # fmt: skip
    out = tmp_path_factory.mktemp("llama") / "out"

    async def investigated() -> Ran:
        async with open_house(settings, models=True) as house:
            with open_bundle(SHIPPED / "edge-502") as bundle:
                outcome = await replay(house, bundle, second=named(house.models, "fast"))
                write(outcome, bundle, house, out)
            async with house.database.connection() as connection:
                made = await model_calls.of_investigation(connection, outcome.report.run.investigation)
            with open_bundle(out) as recorded:
                return Ran(outcome, made, await replay(house, recorded))

    return running.runner.run(investigated())


def test_the_report_is_well_formed(ran: Ran) -> None:
    report = json.loads(json.dumps(ran.outcome.document))
    jsonschema.validate(report, schema())
    assert report["run"]["models"] == ["analyst", llama.MODEL]
    assert report["root_cause"]["fault"] == "proxy.upstream_down"


def test_every_agent_asked_the_model_within_its_limits(ran: Ran) -> None:
    assert {record.agent for record in ran.made} >= {"log", "metric", "infra", "runbook"}
    assert all(0 < record.window_share <= 1 for record in ran.made)
    assert all(record.failure in {"", *Failure} for record in ran.made)
    assert sum(record.prompt_tokens + record.completion_tokens for record in ran.made) <= 150_000
    assert ran.outcome.report.run.seconds <= SECONDS + 120


def test_what_the_model_says_is_cited_or_not_verified(ran: Ran) -> None:
    report = ran.outcome.document
    theirs = [f for e in report["evidence"] if e["by"] == llama.MODEL for f in e["findings"]]
    assert all(finding["citations"] for finding in theirs)


def test_the_recording_replays_without_the_model(ran: Ran) -> None:
    was, now = ran.outcome.document, ran.again.document
    assert ran.again.unanswered == ()
    assert {key: was[key] for key in was if key != "run"} == {key: now[key] for key in now if key != "run"}
