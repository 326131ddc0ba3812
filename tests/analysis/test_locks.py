"""An idle session whose open transaction keeps others waiting for a lock."""

from dataclasses import replace
from datetime import UTC, datetime

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.locks import joined
from domain.alert import Incident, Window
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def session(pid: int, **told: Attribute) -> Fact:
    return Fact("session", "database:carts", {"pid": pid, **told}, "artifacts/facts.txt")


def found(*facts: Fact) -> list[tuple[object, ...]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (), facts, (), Inventory.build(facts), ())
    return [tuple(f.fact.attributes.get(each) for each in ("holder", "blocks", "relation")) for f in joined(case)]


IDLE = session(71, user="bi", state="Sleep", age_seconds=3000.0)
WAITS = session(90, state="Waiting for table metadata lock", query="alter table `carts` add x int", age_seconds=400.0)
LOCK = session(71, lock_mode="MDL_SHARED_READ", relation="carts")
OPEN = session(71, state="RUNNING", transaction_seconds=3100.0)
HOLDER = "71 of user bi (Sleep since 3000 s)"


def test_the_idle_session_that_holds_the_table_is_named() -> None:
    assert found(IDLE, WAITS, LOCK) == [(HOLDER, 1, "carts")]
    assert found(IDLE, WAITS, replace(WAITS), OPEN, LOCK) == [(HOLDER, 2, "carts")]


def test_the_only_open_transaction_of_an_idle_session_that_is_older_than_all_who_wait() -> None:
    assert found(IDLE, WAITS, OPEN) == [(HOLDER, 1, None)]
    assert found(IDLE, WAITS, session(71, state="RUNNING", transaction_seconds=10.0)) == []
    other = (session(72, state="Sleep"), session(72, state="RUNNING", transaction_seconds=3000.0))
    assert found(IDLE, WAITS, OPEN, *other) == []


def test_nobody_waits_another_table_or_an_active_session_is_none() -> None:
    assert found(IDLE, OPEN, LOCK) == []
    assert found(IDLE, WAITS, session(71, relation="stock")) == []
    assert found(session(71, state="Query"), WAITS, LOCK) == []


def test_sessions_of_two_servers_are_not_told_together() -> None:
    away = replace(IDLE, entity="database:bills"), replace(LOCK, entity="database:bills")
    assert found(WAITS, *away) == []
    assert found(IDLE, WAITS, LOCK, *away) == [(HOLDER, 1, "carts")]


def test_one_server_is_named_by_the_databases_of_its_sessions() -> None:
    idle, waits = (replace(each, attributes=each.attributes | {"database": "carts"}) for each in (IDLE, WAITS))
    assert found(idle, waits, replace(LOCK, entity="database:mysql")) == [(HOLDER, 1, "carts")]
