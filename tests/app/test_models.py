"""The configured models of a process: tiers, keys shared through the database, the log, and what doctor says."""

from typing import Any

import pytest

from agents.files import load_agents
from agents.gateway.tier import Key, Wait
from app.model_settings import ModelSettings
from app.models import Models, check, open_models
from app.settings import Settings, load_settings
from domain.errors import BadConfiguration, MissingSetting, ModelFailed
from store import model_calls, model_keys
from store.database import Database
from tests.app.test_doctor import states
from tests.models.behaviours import says, unauthorized
from tests.models.gateways import PROMPT, hasty
from tests.models.server import Scripted, scripted


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ModelSettings.model_fields:
        monkeypatch.delenv(f"FISHBONE_{name.upper()}", raising=False)


def settings(server: Scripted | None = None, **given: Any) -> Settings:
    of = {"fast_base_url": server.url, "fast_model": "m1"} if server else {}
    return load_settings(**of | given)


def opened(database: Database, given: Settings) -> Any:
    return open_models(given, database, load_agents())


async def ask(models: Models, investigation: str = "i1") -> None:
    await models.agents["log"].ainvoke(PROMPT, {"metadata": {"investigation": investigation, "agent": "log"}})


# --- settings


async def test_without_settings_there_are_no_models(database: Database) -> None:
    async with opened(database, settings()) as models:
        assert not models and models.agents == {}


async def test_an_agent_that_asks_for_a_tier_that_is_not_set_stops_the_start(database: Database) -> None:
    only_deep = settings(deep_base_url="http://127.0.0.1:1/v1", deep_model="big")
    with pytest.raises(MissingSetting, match=r"asks for the tier fast, which is not set: .* or FISHBONE_TIER=deep"):
        async with opened(database, only_deep):
            pass
    for_all = settings(deep_base_url="http://127.0.0.1:1/v1", deep_model="big", tier="deep")
    async with opened(database, for_all) as models:
        assert {of.name for of in models.agents.values()} == {"big"} and set(models.agents) == set(load_agents())


def test_a_tier_that_all_are_to_use_must_be_set() -> None:
    with pytest.raises(MissingSetting, match="FISHBONE_DEEP_BASE_URL"):
        settings(fast_base_url="http://m/v1", fast_model="m1", tier="deep").tier_for("fast", "the agent log")


@pytest.mark.parametrize("given", [{"fast_model": "m1"}, {"fast_base_url": "http://m/v1"}, {"fast_api_key": "k"}])
def test_half_a_tier_is_an_error_that_names_the_other_half(given: dict[str, str]) -> None:
    with pytest.raises(MissingSetting, match=r"FISHBONE_FAST_(MODEL|BASE_URL) is not set"):
        settings(**given).tiers()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("ftp://m/v1", "http:// or https://"),
        ("m/v1", "http:// or https://"),
        ("https://", "http:// or https://"),
        ("https://user:open-sesame@m/v1", "a key goes into"),
        ("https://m/v1?key=open-sesame", "a key goes into"),
        ("https://m/v1/chat/completions", "must end before"),
    ],
)
def test_an_address_that_leads_nowhere_or_holds_a_secret_is_refused_and_not_shown(address: str, said: str) -> None:
    with pytest.raises(BadConfiguration, match=said) as told:
        settings(deep_base_url=address)
    assert str(told.value).startswith("FISHBONE_DEEP_BASE_URL") and "open-sesame" not in str(told.value)


def test_an_unknown_profile_lists_those_there_are() -> None:
    with pytest.raises(BadConfiguration, match=r"FISHBONE_FAST_PROFILE.*deepseek"):
        settings(fast_profile="gpt")


def test_keys_come_with_commas_and_are_shown_nowhere() -> None:
    given = settings(fast_base_url="http://m/v1/", fast_model="m1", fast_api_key=" sk-one, sk-two ,")
    assert [key.get_secret_value() for key in given.keys_of("fast")] == ["sk-one", "sk-two"]
    assert given.tiers()["fast"].base_url == "http://m/v1"
    assert "sk-one" not in repr(given) and "sk-one" not in repr(given.keys_of("fast"))
    with pytest.raises(BadConfiguration) as told:
        settings(fast_api_key=["sk-one"])
    assert "sk-one" not in str(told.value)


# --- keys and log in the database


async def test_calls_are_logged_and_keys_kept_by_their_hash_alone(database: Database) -> None:
    key = {"fast_api_key": "sk-very-secret", "fast_price_in": 10}
    async with scripted(says("fine")) as server, opened(database, settings(server, **key)) as models:
        await ask(models)
    async with database.connection() as connection:
        [call] = await model_calls.of_investigation(connection, "i1")
        kept = await (await connection.execute("select to_json(k)::text as row from model_key k")).fetchall()
    assert server.requests[0].key == "sk-very-secret"
    assert (call.agent, call.tier, call.cost, call.attempts) == ("log", "fast", pytest.approx(100 * 10e-6), 1)
    assert len(kept) == 1 and call.key in kept[0]["row"] and "secret" not in kept[0]["row"]


async def test_an_investigation_stays_with_its_key_and_others_use_the_others(database: Database) -> None:
    async with (
        scripted(then=says("fine")) as server,
        opened(database, settings(server, fast_api_key="k1,k2")) as models,
    ):
        for investigation in ("i1", "i2", "i1", "i1", "i2"):
            await ask(models, investigation)
    used = [request.key for request in server.requests]
    assert used[0] == used[2] == used[3] != used[1] == used[4]


async def test_what_one_process_met_another_respects(database: Database) -> None:
    async with scripted(then=says("fine")) as server:
        given = settings(server, fast_api_key="k1,k2")
        async with opened(database, given) as one, opened(database, given) as other:
            first, second = one.keys["fast"].by_hash.values()
            await one.keys["fast"].rest(first, 500, "rate_limit")
            assert {(await other.keys["fast"].take(f"i{n}")).hash for n in range(3)} == {second.hash}
            await one.keys["fast"].disable(second, "401")
            found = await other.keys["fast"].take("i9")
            assert isinstance(found, Wait) and found.failure == "rate_limit" and 400 < found.seconds <= 500
            await other.keys["fast"].disable(first, "401")
            with pytest.raises(ModelFailed, match="doctor") as told:
                await one.keys["fast"].take("i9")
    assert told.value.kind == "auth"


async def test_a_server_without_a_key_is_asked_without_one_and_rests_as_well(database: Database) -> None:
    async with scripted(says("fine")) as server, opened(database, settings(server)) as models:
        await ask(models)
        [only] = models.keys["fast"].by_hash.values()
        await models.keys["fast"].rest(only, 500, "overload")
        assert isinstance(await models.keys["fast"].take("i2"), Wait)
    assert server.requests[0].key == ""
    async with database.connection() as connection:
        [call] = await model_calls.of_investigation(connection, "i1")
    assert call.key == ""


# --- window


@pytest.mark.parametrize(
    ("profile", "facts", "window"),
    [
        ("vllm", {"/v1/models": {"data": [{"id": "b", "max_model_len": 1024}, {"id": "m1", "max_model_len": 16384}]}},
         16384),
        ("unknown", {"/v1/models": {"data": [{"id": "m1", "context_length": 65536}]}}, 65536),
        ("llamacpp", {"/props": {"default_generation_settings": {"n_ctx": 8192}}}, 8192),
        ("ollama", {"/api/ps": {"models": [{"name": "m1:latest", "context_length": 6000}]}}, 6000),
        ("vllm", {}, 32000),
        ("vllm", {"/v1/models": {"data": [{"id": "m1", "max_model_len": None}]}}, 32000),
        ("vllm", {"/v1/models": ["nonsense"]}, 32000),
    ],
)  # fmt: skip
async def test_the_window_is_asked_of_the_server(
    database: Database, profile: str, facts: dict[str, Any], window: int
) -> None:
    async with scripted(facts=facts) as server, opened(database, settings(server, fast_profile=profile)) as models:
        assert models.tiers["fast"].window == window


async def test_a_window_that_is_set_is_not_asked_for(database: Database) -> None:
    facts = {"/v1/models": {"data": [{"id": "m1", "max_model_len": 16384}]}}
    async with scripted(facts=facts) as server, opened(database, settings(server, fast_window=9000)) as models:
        assert models.tiers["fast"].window == 9000


# --- doctor


async def test_doctor_asks_each_tier(dsn: str) -> None:
    async with scripted(says("ok")) as server:
        found = await states(database_url=dsn, fast_base_url=server.url, fast_model="m1", fast_window=9000)
    state, detail = found["model fast"]
    assert state == "ok" and "m1 (unknown), window 9000: answers in" in detail and detail.endswith("no key")
    assert found["model deep"][0] == "off" and "log: fast" in found["models"][1]


async def test_doctor_names_the_tier_that_is_asked_for_and_not_set(dsn: str) -> None:
    found = await states(database_url=dsn, deep_base_url="http://127.0.0.1:1/v1", deep_model="big")
    assert found["models"][0] == "degraded" and "FISHBONE_TIER=deep" in found["models"][1]


async def test_doctor_says_which_key_does_not_work_and_the_pool_leaves_it_out(dsn: str, database: Database) -> None:
    async with scripted(then=unauthorized("sk-bad")) as server:
        of = {"fast_base_url": server.url, "fast_model": "m1", "fast_api_key": "sk-bad,sk-good"}
        found = await states(database_url=dsn, **of)
        state, detail = found["model fast"]
        assert state == "degraded" and "auth" in detail and "sk-" not in detail
        async with opened(database, settings(**of)) as models:
            assert {(await models.keys["fast"].take(f"i{n}")).secret.get_secret_value() for n in range(3)} == {
                "sk-good"
            }


async def test_a_key_that_works_again_is_enabled_by_doctor(dsn: str, database: Database) -> None:
    async with scripted(then=says("ok")) as server:
        of = {"fast_base_url": server.url, "fast_model": "m1", "fast_api_key": "sk-one"}
        async with opened(database, settings(**of)) as models:
            [key] = models.keys["fast"].by_hash.values()
            await models.keys["fast"].disable(key, "401")
            assert (await check(models, "fast"))[0] == "ok"
            assert isinstance(await models.keys["fast"].take("i1"), Key)
            async with database.connection() as connection:
                [known] = await model_keys.states(connection, list(models.keys["fast"].by_hash))
    assert known.state == "free"


async def test_a_key_that_was_replaced_is_no_longer_counted(database: Database) -> None:
    async with scripted() as server:
        async with opened(database, settings(server, fast_api_key="sk-old")) as models:
            await models.keys["fast"].disable(next(iter(models.keys["fast"].by_hash.values())), "401")
        async with opened(database, settings(server, fast_api_key="sk-new")):
            pass
    async with database.connection() as connection:
        left = await (await connection.execute("select disabled_at from model_key")).fetchall()
    assert [row["disabled_at"] for row in left] == [None]


async def test_doctor_tells_a_server_that_is_away(dsn: str) -> None:
    async with scripted() as server:
        gone = server.url
    with hasty():
        found = await states(database_url=dsn, fast_base_url=gone, fast_model="m1")
    assert found["model fast"][0] == "degraded" and "no connection" in found["model fast"][1]
