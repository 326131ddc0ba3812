"""What watches over fishbone: health, readiness, metrics, log lines and spans."""

import io
import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families

from app.logs import set_up_logs
from app.operations import Operations
from app.replay import incident_of
from app.settings import load_settings
from app.tracing import Followed, followed
from bundle.bundle import open_bundle
from domain.model_call import CallRecord
from domain.tool import Caller, ToolResult
from store import calls, incidents, investigations, model_calls, model_keys
from store.database import Database
from store.jobs import enqueue
from tests.app.receiver import receiver
from tools.ledger import Entry, Ledger

INVESTIGATION = "5f" * 16


@asynccontextmanager
async def asked(operations: Operations) -> AsyncIterator[httpx2.AsyncClient]:
    app = FastAPI()
    app.include_router(operations.router())
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost") as client:
        yield client


@pytest.fixture
def restored_logs() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


async def test_a_process_over_a_migrated_database_is_healthy_and_ready(database: Database) -> None:
    async with asked(Operations(database, load_settings())) as client:
        assert (await client.get("/healthz")).text == "ok\n"
        ready = await client.get("/readyz")
    assert ready.status_code == 200
    assert ready.json() == {"database": "ok", "migrations": "ok", "queue": "ok: 0 waiting, 0 running, 0 workers"}


async def test_a_step_of_the_schema_that_is_missing_makes_it_unready(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute("delete from migration where name = '0004_notify'")
    async with asked(Operations(database, load_settings())) as client:
        ready = await client.get("/readyz")
    assert ready.status_code == 503
    assert ready.json()["migrations"] == "not all are applied"


async def test_a_database_that_is_away_makes_it_unready_but_leaves_it_alive(dsn: str) -> None:
    database = await Database.open(dsn, wait_seconds=1)
    await database.close()
    async with asked(Operations(database, load_settings())) as client:
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/readyz")).status_code == 503
        assert "fishbone_database_up 0.0" in (await client.get("/metrics")).text


async def test_a_process_that_is_ending_takes_nothing_new(database: Database) -> None:
    operations = Operations(database, load_settings())
    operations.stop.set()
    async with asked(operations) as client:
        assert (await client.get("/readyz")).status_code == 503


def values(text: str) -> dict[str, float]:
    return {
        f"{sample.name}{{{','.join(f'{k}={v}' for k, v in sorted(sample.labels.items()))}}}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_metrics_count_what_the_database_holds(database: Database) -> None:
    with open_bundle(Path("incidents/cart-saves-fail")) as bundle:
        incident = incident_of(bundle)
    async with database.connection() as connection:
        await incidents.save(connection, incident)
        await enqueue(connection, incident.id)
        started = datetime(2026, 3, 4, 10, 0, 0, tzinfo=UTC)
        await investigations.start(connection, INVESTIGATION, incident.id, started)
        await calls.add(connection, [logged("log.1", "ok"), logged("log.2", "timeout")])
        ended = datetime(2026, 3, 4, 10, 0, 4, tzinfo=UTC)
        await investigations.finish(
            connection, INVESTIGATION, investigations.Outcome("done", ended, verdict="root_cause")
        )
        await connection.execute("update incident set status = 'failed'")
        await model_calls.add(connection, model_call("", 900))
        await model_calls.add(connection, model_call("timeout", 0))
        await model_keys.know(connection, ["a", "b"], "http://m/v1")
        await model_keys.disable(connection, "a", "401")
    async with asked(Operations(database, load_settings())) as client:
        found = values((await client.get("/metrics")).text)
    assert found["fishbone_database_up{}"] == 1
    assert found["fishbone_jobs{queue=fishbone,state=waiting}"] == 1
    assert found["fishbone_oldest_job_seconds{queue=fishbone}"] > 0
    assert found["fishbone_jobs{queue=fishbone-models,state=waiting}"] == 0
    assert found["fishbone_oldest_job_seconds{queue=fishbone-models}"] == 0
    assert found["fishbone_poison_incidents{}"] == 1
    assert found["fishbone_incidents{status=failed}"] == 1
    assert found["fishbone_investigations_total{status=done,verdict=root_cause}"] == 1
    assert found["fishbone_investigation_seconds_bucket{le=2.0}"] == 0
    assert found["fishbone_investigation_seconds_bucket{le=5.0}"] == 1
    assert found["fishbone_investigation_seconds_sum{}"] == 4
    assert found["fishbone_tool_calls_total{status=timeout,tool=logs_list}"] == 1
    assert found["fishbone_model_calls_total{failure=timeout,model=m1,tier=fast}"] == 1
    assert found["fishbone_model_tokens_total{failure=,kind=prompt,model=m1,tier=fast}"] == 900
    assert found["fishbone_model_cost_total{failure=,model=m1,tier=fast}"] == 0.25
    assert [found[f"fishbone_model_keys{{state={state}}}"] for state in ("free", "resting", "disabled")] == [1, 0, 1]
    assert found["process_cpu_seconds_total{}"] > 0


async def test_metrics_are_behind_the_token_where_one_is_set(database: Database) -> None:
    async with asked(Operations(database, load_settings(token="open-sesame"))) as client:
        assert (await client.get("/metrics")).status_code == 401
        shown = await client.get("/metrics", headers={"Authorization": "Bearer open-sesame"})
    assert shown.status_code == 200


def test_every_line_of_a_run_carries_its_id_also_from_threads_and_none_after_it(restored_logs: None) -> None:
    stream, log = io.StringIO(), logging.getLogger("app.test")
    set_up_logs(load_settings(log_format="json"), stream)
    with followed(INVESTIGATION, "inc-1"):
        log.info("%d calls", 3)
    log.warning("after")
    inside, after = map(json.loads, stream.getvalue().splitlines())
    assert (inside["trace"], inside["incident"], inside["event"]) == (INVESTIGATION, "inc-1", "3 calls")
    assert (inside["level"], inside["logger"]) == ("info", "app.test")
    assert "trace" not in after


def test_a_traceback_stays_in_its_line(restored_logs: None) -> None:
    stream = io.StringIO()
    set_up_logs(load_settings(log_format="json"), stream)
    try:
        raise ValueError("of a run")
    except ValueError:
        logging.getLogger("app.test").exception("it failed")
    [line] = stream.getvalue().splitlines()
    assert "ValueError: of a run" in json.loads(line)["exception"]


def model_call(failure: str, tokens: int) -> CallRecord:
    return CallRecord(
        INVESTIGATION, "log", 0, "m1", "fast", datetime.now(UTC), 1.0, tokens, 10, 900, 0.1, 0.25, failure, 1, "a"
    )  # fmt: skip


def logged(call_id: str, status: str) -> calls.LoggedCall:
    return calls.LoggedCall(
        INVESTIGATION, call_id, "log", "webhook", "test", "logs_list", "1", {}, status, datetime.now(UTC), 0.5
    )  # fmt: skip


@pytest.fixture(scope="module")
def spans() -> Any:
    """The spans of this test process; the provider can be set once only."""
    pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from app.otel import set_up

    exporter = InMemorySpanExporter()
    set_up(SimpleSpanProcessor(exporter))
    return exporter


async def run(follow: Followed) -> None:
    ledger = Ledger(follow.keeping(keep))
    follow.notice("stage", "plan")
    follow.notice("agent_started", "log")
    follow.notice("agent_started", "infra")
    await ledger.add(Caller("log"), result("log.1", "ok"), 1_770_000_000.0)
    await ledger.add(Caller("root_cause"), result("root_cause.1", "timeout"), 1_770_000_001.0)
    follow.notice("agent_done", "log 1 0")


async def keep(entry: Entry) -> None:
    pass


def result(call_id: str, status: str) -> ToolResult:
    return ToolResult(call_id, "logs_list", {}, status, error="" if status == "ok" else "late", seconds=0.25)


async def test_a_run_is_one_trace_of_its_own_id_with_agents_and_calls_below_it(spans: Any) -> None:
    spans.clear()
    with followed(INVESTIGATION, "inc-1") as follow:
        await run(follow)
    found = {f"{span.name} {(span.attributes or {}).get('fishbone.call_id', '')}".strip(): span
             for span in spans.get_finished_spans()}  # fmt: skip
    assert {f"{span.context.trace_id:032x}" for span in found.values()} == {INVESTIGATION}
    assert found["tool logs_list log.1"].parent.span_id == found["agent log"].context.span_id
    assert found["tool logs_list root_cause.1"].parent.span_id == found["investigation"].context.span_id
    assert found["agent infra"].end_time  # broken off with the run
    took = found["tool logs_list log.1"]
    assert took.end_time - took.start_time == 250_000_000
    assert not found["tool logs_list root_cause.1"].status.is_ok


async def test_an_id_that_is_no_trace_id_is_followed_as_well() -> None:
    with followed("not-hex", "inc-1") as follow:
        await run(follow)


def test_spans_reach_a_collector_over_http() -> None:
    pytest.importorskip("opentelemetry.sdk", reason="the extra otel is not installed")
    from opentelemetry.sdk.trace import TracerProvider

    from app.otel import to_collector

    with receiver() as collector:
        provider = TracerProvider()
        provider.add_span_processor(to_collector(collector.url("/v1/traces")))
        provider.get_tracer("test").start_span("one").end()
        provider.shutdown()
        assert collector.came.acquire(timeout=5)
    assert b"one" in collector.bodies[0] or collector.headers[0].get("content-encoding")
