"""A server's idle timeout beside what a pool keeps."""

import pytest

from analysis.joins.idle_limits import joined
from domain.facts import Fact
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
        ("CONN_MAX_AGE = 900", ("MAX_AGE", 900)),
    ],
)
def test_a_pool_that_keeps_connections_longer_is_told_in_seconds(text: str, told: object) -> None:
    assert found(LIMIT, pool(text)) == [told]


def test_a_shorter_pool_another_setting_or_no_complaint_tells_nothing() -> None:
    assert found(LIMIT, pool("pool_recycle=60")) == []
    assert found(fact("setting", "database:db", name="lock_wait_timeout", value=120), pool("pool_recycle=1800")) == []
    assert list(joined(case([LIMIT, pool("pool_recycle=1800")]))) == []
