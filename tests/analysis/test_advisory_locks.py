"""Who holds an advisory lock that another waits for."""

from analysis.joins.advisory_locks import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

RUN = fact("container", "container:job-run", addresses=["10.3.0.6"])
APP = fact("container", "container:app", addresses=["10.3.0.4"])


def session(pid: int, granted: bool, client: str, query: str = "SELECT pg_advisory_lock(7)") -> Fact:
    return fact("session", "database:db", pid=pid, granted=granted, client=client, query=query)


def found(*facts: Fact) -> list[object]:
    told = joined(case(facts))
    return [(f.fact.entity, f.fact.attributes["application"], f.fact.attributes["blocks"]) for f in told]


def test_the_holder_is_named_by_what_runs_at_its_address() -> None:
    told = found(session(11, True, "10.3.0.6"), session(12, False, "10.3.0.4"), RUN, APP)
    assert told == [("container:app", "job-run", 12)]
    assert found(session(11, True, "10.9.9.9/32"), session(12, False, "10.3.0.4"), APP)[0][1] == "10.9.9.9"  # type: ignore[index]


def test_a_waiter_whose_address_nobody_has_is_the_one_that_complains() -> None:
    facts = (session(11, True, "10.3.0.6"), session(12, False, "10.3.0.4"), RUN)
    told = list(joined(case(facts, [finding("container:app", "database.migration_lock")])))
    assert told[0].fact.entity == "container:app"


def test_nobody_who_waits_or_another_lock_tells_nothing() -> None:
    assert found(session(11, True, "10.3.0.6"), RUN) == []
    other = session(12, False, "10.3.0.4", "SELECT pg_advisory_lock(8)")
    assert found(session(11, True, "10.3.0.6"), other) == []


def row(pid: int, granted: bool, kind: str, of: str = "database:db") -> Fact:
    query = "SELECT pg_advisory_lock(7)"
    return fact("session", of, pid=pid, granted=granted, lock_type=kind, query=query)


def test_a_waiter_does_not_hold_by_the_other_locks_that_it_has() -> None:
    assert found(row(22, True, "virtualxid"), row(22, False, "advisory")) == []
    assert found(row(23, True, "virtualxid"), row(22, False, "advisory")) == []
    own = [session(pid, granted, "10.3.0.4") for pid in (22, 23) for granted in (True, False)]
    assert found(*own) == []  # no kind of lock told: each of both waits
    told = found(row(21, True, "advisory"), row(22, True, "virtualxid"), row(22, False, "advisory"))
    assert told == [("database:db", "", 22)]


def test_a_lock_of_another_server_is_another_lock() -> None:
    assert found(row(21, True, "advisory", "database:a"), row(22, False, "advisory", "database:b")) == []


def test_of_thousands_of_sessions_only_who_holds_it_is_told() -> None:
    told = found(row(1, True, "advisory"), *(row(pid, False, "advisory") for pid in range(2, 6000)))
    assert len(told) == 1
