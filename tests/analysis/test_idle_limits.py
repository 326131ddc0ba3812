"""A server's idle timeout beside what a pool keeps."""

import pytest

from analysis.joins.idle_limits import joined
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact, finding

LIMIT = fact("setting", "database:db", name="wait_timeout", value=120)
CLOSED = finding("service:db", "database.idle_timeout")


def pool(text: str) -> Fact:
    return fact("reading", "host:localhost", text=text)


def found(*facts: Fact) -> list[object]:
    return [(f.fact.attributes["origin"], f.fact.attributes["pending"]) for f in joined(case(facts, [CLOSED]))]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("create_engine(url, pool_size=5, pool_recycle=1800)", ("pool_recycle", 1800)),
        ("spring.datasource.hikari.maxLifetime=1800000", ("maxLifetime", 1800)),
        ("maxIdleTime: 600", ("maxIdleTime", 600)),
        ("idleTimeoutMillis: 300000", ("idleTimeoutMillis", 300)),
        ("CONN_MAX_AGE = 900", ("CONN_MAX_AGE", 900)),
    ],
)
def test_a_pool_that_keeps_connections_longer_is_told_in_seconds(text: str, told: object) -> None:
    assert found(LIMIT, pool(text)) == [told]


def test_a_shorter_pool_another_setting_or_no_complaint_tells_nothing() -> None:
    assert found(LIMIT, pool("pool_recycle=60")) == []
    assert found(fact("setting", "database:db", name="lock_wait_timeout", value=120), pool("pool_recycle=1800")) == []
    assert list(joined(case([LIMIT, pool("pool_recycle=1800")]))) == []


@pytest.mark.parametrize(
    "text", ["SESSION_MAX_AGE=86400", "MAX_AGE=86400", "cache-max-time: 86400", "session-idle-timeout=86400"]
)
def test_an_age_of_sessions_or_caches_is_no_pool(text: str) -> None:
    assert found(LIMIT, pool(text)) == []


def test_a_pool_of_another_container_than_the_one_that_complains_tells_nothing() -> None:
    env: Attribute = ["DB_POOL_RECYCLE=1800"]
    cron, app = (fact("container", f"container:{name}", env=env) for name in ("cron", "app"))
    assert found(LIMIT, cron) == []
    assert found(LIMIT, app) == [("POOL_RECYCLE", 1800)]  # its log is cited


def test_timeout_is_an_idle_limit_of_a_cache_only() -> None:
    assert found(fact("setting", "service:web", name="timeout", value=120), pool("pool_recycle=1800")) == []
    assert found(fact("setting", "container:redis", name="timeout", value=120), pool("pool_recycle=1800")) != []
