"""Workers with a model: the first report at once, the second behind it, and neither is lost or done twice."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from app.bootstrap import open_house
from app.replay import replay
from app.settings import load_settings
from bundle.bundle import open_bundle
from store.lock import wait_until
from tests.faults.ward import BUNDLE, Ward
from tests.models.behaviours import breaks, hangs
from tests.models.mimic import Mimic
from tests.models.server import Answer, Behaviour, Request, Scripted, scripted

QUICK = {"lease_seconds": 1.5, "heartbeat_seconds": 0.3}
FIRST_PASS = 29  # notices of the analyst's run
SECOND = "investigation in (select id from investigation where after is not null)"


@contextmanager
def serving(then: Behaviour) -> Iterator[Scripted]:
    """The scripted server, for tests that wait for other processes."""
    with asyncio.Runner() as runner:
        context = scripted(then=then)
        yield runner.run(context.__aenter__())
        runner.run(context.__aexit__(None, None, None))


def tier(server: Scripted, **more: Any) -> dict[str, Any]:
    return {"fast_base_url": server.url, "fast_model": "m1", "tier": "fast", **QUICK, **more}


@pytest.fixture
def good(ward: Ward) -> Mimic:
    """A good model for the incidents of the ward."""

    async def made() -> Mimic:
        async with open_house(load_settings(data=ward.data)) as house:
            with open_bundle(BUNDLE) as bundle:
                return Mimic.of(await replay(house, bundle), house.agents)

    return asyncio.run(made())


def runs(ward: Ward) -> list[tuple[int, str]]:
    rows = ward.ask("select version, status from investigation order by version")
    return [(row["version"], row["status"]) for row in rows]


def test_the_first_report_is_the_analysts_and_the_second_is_of_both(ward: Ward, good: Mimic) -> None:
    with serving(good) as server:
        ward.bring(1)
        ward.worker(**tier(server))
        ward.until_settled()
    first, second = (each["report"] for each in ward.reports())
    assert ward.reports_of() == ["ward-00 1", "ward-00 2"]
    assert {each["by"] for each in first["evidence"]} == {"analyst"} and "comparison" not in first
    assert {each["by"] for each in second["evidence"]} == {"analyst", "m1"}
    assert second["comparison"]["agreement"] == "cause"
    assert second["root_cause"]["fault"] == first["root_cause"]["fault"]
    assert ward.ask("select count(*) as n from checkpoints") == [{"n": 0}]
    assert ward.ask("select count(*) as n from investigation where handed is not null") == [{"n": 0}]
    calls, replies = (ward.ask(f"select * from {table} where {SECOND}") for table in ("model_call_log", "model_reply"))
    assert len(calls) == len(replies) == len(server.requests)


@pytest.mark.parametrize("after", [2, 9, 20])
def test_a_worker_killed_in_the_second_pass_is_succeeded_in_it(ward: Ward, good: Mimic, after: int) -> None:
    with serving(good) as server:
        ward.bring(1)
        ward.lose_worker(FIRST_PASS + after, **tier(server))
        assert ward.reports_of() == ["ward-00 1"]
        before = ward.reports()[0]["report"]
        ward.worker(**tier(server))
        ward.until_settled()
    first, second = (each["report"] for each in ward.reports())
    assert first == before
    assert {each["by"] for each in second["evidence"]} == {"analyst", "m1"}
    assert runs(ward) == [(1, "done"), (2, "done")]
    taken = [line.split(maxsplit=1)[1] for line in ward.trace() if " taken " in line or " resumed " in line]
    assert taken == ["taken ward-00", "taken ward-00", "resumed ward-00"]


def test_where_the_model_is_away_the_first_report_stands_and_says_so(ward: Ward) -> None:
    with serving(breaks(503)) as server:
        ward.bring(1)
        ward.worker(**tier(server, model_seconds=20.0))
        ward.until_settled()
    (report,) = (each["report"] for each in ward.reports())
    assert "the second pass, by m1" in [gap["what"] for gap in report["gaps"]]
    assert report["run"]["models"] == ["analyst", "m1"]
    assert "the second pass, by m1" in ward.command("report", "ward-00")
    (run,) = ward.ask("select status, reason from investigation where after is not null")
    assert run["status"] == "failed" and run["reason"]
    assert ward.ask("select status, crashes from incident") == [{"status": "open", "crashes": 0}]
    failures = {row["failure"] for row in ward.ask(f"select failure from model_call_log where {SECOND}")}
    assert failures == {"overload"}


def test_a_second_pass_that_costs_too_many_workers_is_given_up(ward: Ward, good: Mimic) -> None:
    with serving(good) as server:
        ward.bring(1)
        ward.lose_worker(FIRST_PASS + 2, **tier(server, most_crashes=2))
        ward.lose_worker(3, **tier(server, most_crashes=2))
        ward.worker(**tier(server, most_crashes=2))
        ward.until_settled()
    (report,) = (each["report"] for each in ward.reports())
    assert ("the second pass, by m1", "2 workers were lost over it") in [(g["what"], g["why"]) for g in report["gaps"]]
    assert ward.ask("select status from incident") == [{"status": "open"}]


def test_an_incident_that_changes_is_diagnosed_at_once_while_a_model_keeps_the_worker_waiting(
    ward: Ward, good: Mimic
) -> None:
    waiting: list[Request] = []

    def slow_at_first(request: Request) -> Answer:
        if len(waiting) < len(good.calls):
            waiting.append(request)
            return hangs()(request)
        return good(request)

    with serving(slow_at_first) as server:
        ward.bring(1)
        ward.worker(**tier(server, fast_timeout_seconds=1.0))
        ward.until(lambda: bool(waiting))
        ward.bring_more("ward-00")
        ward.until(lambda: "ward-00 3" in ward.reports_of())
        ward.until(lambda: "ward-00 4" in ward.reports_of())
        ward.stop()
    assert ward.reports_of() == ["ward-00 1", "ward-00 3", "ward-00 4"]
    assert runs(ward) == [(1, "done"), (2, "incomplete"), (3, "done"), (4, "done")]


def test_a_worker_without_a_model_leaves_the_second_pass_to_others(ward: Ward, good: Mimic) -> None:
    with serving(good) as server:
        ward.bring(1)
        ward.lose_worker(FIRST_PASS, **tier(server))
        plain = ward.worker(**QUICK)
        assert wait_until(lambda: ward.reports_of() == ["ward-00 1"], 30)
        assert plain in ward.workers
        ward.worker(**tier(server))
        ward.until(lambda: ward.reports_of() == ["ward-00 1", "ward-00 2"])
