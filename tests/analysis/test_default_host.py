"""A server that is asked at loopback although a variable puts it elsewhere."""

from analysis.joins.default_host import joined
from tests.analysis.joining import case, fact, finding

REFUSED = "Error: connect ECONNREFUSED 127.0.0.1:5432"


def found(*env: str, quote: str = REFUSED, mode: str = "bridge") -> list[object]:
    container = fact("container", "container:app", env=list(env), network_mode=mode)
    known = case([container], [finding("container:app", "config.default_host", quote)])
    return [(each.fact.entity, each.fact.attributes["text"], len(each.citations)) for each in joined(known)]


def test_the_variable_that_is_not_read_is_named_without_its_password() -> None:
    assert found("TZ=UTC", "DB_HOST=main-db") == [("container:app", "DB_HOST=main-db", 2)]
    assert found("DATABASE_URL=postgres://u:secret@main-db:5432/x") == [
        ("container:app", "DATABASE_URL=main-db:5432", 2)
    ]
    redis = "dial tcp [::1]:6379: connect: connection refused"
    assert found("REDIS_HOST=cache", quote=redis) == [("container:app", "REDIS_HOST=cache", 2)]


def test_a_sidecar_a_loopback_setting_another_server_or_address_tell_nothing() -> None:
    assert found("DB_HOST=main-db", mode="container:abc") == []
    assert found("DB_HOST=localhost") == []
    assert found("REDIS_HOST=cache") == []
    assert found("DB_HOST=main-db", quote="Error: connect ECONNREFUSED 10.0.0.8:5432") == []
    assert found("DB_HOST=main-db", quote="listening on 127.0.0.1:5432") == []
