"""The server is away, slow, busy, or wants another key: what the gateway does, and what it logs."""

import logging
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx2
import pytest

from agents.gateway.failures import Failure, by_status, retry_after
from agents.gateway.retry import RULES, Rule
from agents.gateway.tier import Price
from domain.errors import ModelFailed
from tests.models.behaviours import (
    breaks,
    failing,
    hangs,
    out_of_money,
    rate_limited,
    refuses,
    resets,
    says,
    streams_anyway,
    unauthorized,
)
from tests.models.gateways import bench
from tests.models.server import scripted


async def given_up(server_url: str, **tier: Any) -> tuple[ModelFailed, Any]:
    async with bench(server_url, **tier) as made:
        with pytest.raises(ModelFailed) as told:
            await made.ask()
    return told.value, made


async def test_an_answer_is_logged_with_tokens_cost_and_who_asked() -> None:

    async with scripted(says("fine")) as server, bench(server.url, price=Price(2.0, 10.0), window=1000) as made:
        answer = await made.ask()
    [record] = made.log.records
    assert answer.content == "fine"
    assert answer.usage_metadata == {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
    assert answer.response_metadata == {"model": "m1", "finish_reason": "stop"}
    assert (record.investigation, record.agent, record.turn, record.tier, record.model) == (
        "i1",
        "log",
        2,
        "fast",
        "m1",
    )
    assert (record.prompt_tokens, record.completion_tokens, record.failure, record.attempts) == (100, 10, "", 1)
    assert record.cost == pytest.approx(100 * 2e-6 + 10 * 10e-6)
    assert record.window_share == pytest.approx(record.estimated / 1000) and record.key == "one"


async def test_a_rate_limit_with_retry_after_lets_the_key_rest_so_long_and_takes_another() -> None:
    async with scripted(rate_limited(7), says("fine")) as server, bench(server.url, secrets=("k-1", "k-2")) as made:
        assert (await made.ask()).content == "fine"
    assert made.keys.rested == {"k-1": (7.0, "rate_limit")}
    assert [request.key for request in server.requests] == ["k-1", "k-2"]
    assert made.log.records[0].attempts == 2


async def test_a_single_key_is_waited_for() -> None:
    async with scripted(rate_limited("0.01"), rate_limited(), says("fine")) as server, bench(server.url) as made:
        assert (await made.ask()).content == "fine"
    assert made.log.records[0].attempts == 3


async def test_retry_after_zero_is_no_leave_to_hammer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, Failure.RATE_LIMIT, Rule(6, 100.0))
    async with scripted(rate_limited(0), says("fine")) as server, bench(server.url, secrets=("k-1", "k-2")) as made:
        await made.ask()
    assert made.keys.rested["k-1"][0] > 20


async def test_a_key_that_rests_beyond_the_deadline_is_not_waited_for() -> None:
    async with scripted(rate_limited(7200)) as server:
        failure, made = await given_up(server.url)
    assert failure.kind == "rate_limit" and "rest for 7200 s" in str(failure)
    assert made.log.failures == ["rate_limit"]


async def test_a_server_that_breaks_is_asked_again_and_at_last_given_up() -> None:
    async with scripted(breaks(500), breaks(503), says("fine")) as server, bench(server.url) as made:
        assert (await made.ask()).content == "fine"
    async with scripted(then=breaks(500)) as server:
        failure, made = await given_up(server.url)
    assert (failure.kind, failure.status, len(server.requests)) == ("overload", 500, 4)
    assert made.log.failures == ["overload"] and made.log.records[0].attempts == 4


async def test_a_server_that_does_not_answer_is_left_after_the_timeout_and_asked_once_more() -> None:
    async with scripted(hangs(), says("fine")) as server, bench(server.url, timeout_seconds=0.2) as made:
        assert (await made.ask()).content == "fine"
    async with scripted(hangs(), hangs()) as server:
        failure, made = await given_up(server.url, timeout_seconds=0.2)
    assert failure.kind == "timeout" and made.log.failures == ["timeout"]


async def test_the_deadline_of_the_caller_counts_also_where_the_timeout_is_longer() -> None:
    async with scripted(hangs()) as server, bench(server.url, timeout_seconds=500) as made:
        with pytest.raises(ModelFailed, match="time") as told:
            await made.ask(deadline=time.monotonic() + 0.2)
    assert told.value.kind == "timeout"


async def test_nothing_is_sent_after_the_deadline() -> None:
    async with scripted() as server, bench(server.url) as made:
        with pytest.raises(ModelFailed, match="used up"):
            await made.ask(deadline=time.monotonic() - 1)
    assert server.requests == []


async def test_a_connection_that_is_reset_in_the_body_is_made_again() -> None:
    async with scripted(resets(), says("fine")) as server, bench(server.url) as made:
        assert (await made.ask()).content == "fine"
    async with scripted(then=resets()) as server:
        failure, made = await given_up(server.url)
    assert failure.kind == "connection" and made.log.failures == ["connection"]


async def test_nobody_at_the_address_is_a_lost_connection() -> None:
    async with scripted() as server:
        gone = server.url
    failure, made = await given_up(gone)
    assert failure.kind == "connection" and made.log.records[0].attempts == 4


async def test_a_stream_that_ends_too_early_is_a_lost_connection() -> None:
    async with scripted(streams_anyway("half", finish=None), says("fine")) as server, bench(server.url) as made:
        assert (await made.ask()).content == "fine"


async def test_a_key_that_is_not_valid_is_disabled_and_the_next_one_used() -> None:
    async with scripted(then=unauthorized("bad-key")) as server, bench(server.url, secrets=("bad-key", "k-2")) as made:
        assert (await made.ask()).content == "fine"
    assert list(made.keys.disabled) == ["bad-key"]


async def test_without_a_valid_key_the_call_is_given_up() -> None:
    async with scripted(unauthorized(), unauthorized()) as server:
        failure, made = await given_up(server.url, secrets=("k-1", "k-2"))
    assert failure.kind == "auth" and made.log.failures == ["auth"]


async def test_a_key_that_may_not_rests_but_is_not_disabled() -> None:
    async with scripted(unauthorized(status=403)) as server:
        failure, made = await given_up(server.url)
    assert failure.kind == "auth" and not made.keys.disabled and made.keys.rested["key-one"][0] >= 3600


@pytest.mark.parametrize("behaviour", [out_of_money(), lambda _: failing(402, "Insufficient Balance")])
async def test_an_empty_account_is_not_waited_for(behaviour: Any) -> None:
    async with scripted(behaviour) as server:
        failure, made = await given_up(server.url)
    assert failure.kind == "budget" and made.log.failures == ["budget"] and len(server.requests) == 1


async def test_the_key_is_in_no_error_even_where_the_server_tells_it() -> None:
    async with scripted(lambda request: failing(400, f"unknown user {request.key}")) as server:
        failure, _ = await given_up(server.url, secrets=("sk-very-secret",))
    assert "sk-very-secret" not in str(failure) and "[key]" in str(failure)


async def test_the_key_is_in_no_line_of_the_log_whatever_its_level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    script, secrets = (unauthorized(), breaks(), says("fine")), ("sk-very-secret", "sk-as-secret")
    async with scripted(*script) as server, bench(server.url, secrets=secrets) as made:
        await made.ask()
    shown = [f"{record.getMessage()} {record.args}" for record in caplog.records]
    assert any("trying again" in line for line in shown)
    assert [line for line in shown if "sk-very-secret" in line or "sk-as-secret" in line] == []


async def test_a_server_that_wants_no_key_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-1")
    async with scripted(says("fine")) as server, bench(server.url, secrets=("",)) as made:
        await made.ask()
    sent = server.requests[0].headers
    assert "authorization" not in sent and "openai-organization" not in sent and "openai-project" not in sent


async def test_other_clients_settings_in_the_environment_change_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_PROXY", "http://127.0.0.1:9")
    async with scripted(says("fine")) as server, bench(server.url) as made:
        assert (await made.ask()).content == "fine"


async def test_a_bad_request_is_not_made_again() -> None:
    async with scripted(refuses(lambda body: True, "Invalid value for 'messages'.", says(""))) as server:
        failure, made = await given_up(server.url)
    assert failure.kind == "bad_request" and "Invalid value" in str(failure) and made.log.failures == ["bad_request"]


async def test_an_unknown_model_is_a_bad_request() -> None:
    async with scripted(lambda _: failing(404, "The model `m1` does not exist", code="model_not_found")) as server:
        failure, _ = await given_up(server.url)
    assert failure.kind == "bad_request"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"Retry-After": "-5"}, 0.0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "999999999"}, 86_400.0),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_may_be_a_date() -> None:
    told = retry_after(httpx2.Headers({"Retry-After": format_datetime(datetime.now(UTC) + timedelta(seconds=90))}))
    assert told is not None and 80 < told <= 90


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (400, "This model's maximum context length is 8192 tokens", "context_overflow"),
        (400, "the request exceeds the available context size, try increasing it", "context_overflow"),
        (400, "Range of input length should be [1, 30720]", "context_overflow"),
        (413, "Payload too large", "context_overflow"),
        (400, "Input data may contain inappropriate content. data_inspection_failed", "refusal"),
        (400, "The response was filtered: content_filter", "refusal"),
        (400, "Access denied, please make sure your account is in good standing. Arrearage", "budget"),
        (408, "", "timeout"),
        (422, "Field required", "bad_request"),
        (429, "Requests rate limit exceeded", "rate_limit"),
        (529, "Overloaded", "overload"),
    ],
)
def test_what_a_status_and_its_text_mean(status: int, said: str, kind: str) -> None:
    assert by_status(status, said).kind == kind
