"""What holds a database's horizon, beside the vacuum that gets no further."""

# ruff: noqa: E501 (samples are as long as programs print them)

from analysis.captures import facts_of
from analysis.joins.horizons import HELD, PREPARED, joined
from analysis.lines.timestamps import Clock
from domain.evidence import Finding
from domain.facts import Fact
from tests.analysis.joining import NOW, case, fact, finding

STUCK = finding(
    "container:pg",
    "database.wraparound",
    "WARNING:  oldest xmin is far in the past",
    signature="database-wraparound/oldest_far",
)
PREPARED_ROWS = """shop=# select gid, prepared, owner, database from pg_prepared_xacts;
   gid   |           prepared            | owner | database
---------+-------------------------------+-------+----------
 7_AAAB= | 2026-02-20 03:12:44.019207+00 | shop  | shop

"""


def captured(text: str) -> list[Fact]:
    return facts_of("artifacts/psql.txt", text, Clock(NOW))


def told(facts: list[Fact], *findings: Finding) -> list[tuple[str, object, object]]:
    found = joined(case(facts, findings))
    return [(each.fact.entity, each.fact.attributes["name"], each.fact.attributes["text"]) for each in found]


def test_a_prepared_transaction_holds_the_horizon_of_the_server_that_says_so() -> None:
    client = finding("service:shop", "database.wraparound", signature="database-wraparound/stopped")
    text = "a prepared transaction of two-phase commit (7_AAAB=, shop) open for 12 days"
    assert told(captured(PREPARED_ROWS), client, STUCK) == [("container:pg", PREPARED, text)]


def test_a_session_a_slot_or_a_standby_may_hold_it_as_well() -> None:
    idle = fact(
        "session", "database:shop", pid=812, state="idle in transaction", transaction_seconds=90000.0, user="etl"
    )
    assert told([idle], STUCK) == [("container:pg", HELD, "session 812 (etl, idle in transaction) open for 25 hours")]
    slot = "shop=# select slot_name, active, xmin, catalog_xmin from pg_replication_slots;\n"
    slot += " slot_name | active | xmin | catalog_xmin\n-----------+--------+------+--------------\n cdc       | f      |      | 48812\n"
    assert told(captured(slot), STUCK)[0][2] == "the replication slot cdc that nobody reads (xmin 48812)"
    standby = fact("replication", "database:pg", name="standby1", role="replica", xmin_age=48_000_000)
    rows = "shop=# select application_name, backend_xmin, age(backend_xmin) from pg_stat_replication;\n"
    rows += " application_name | backend_xmin |   age\n------------------+--------------+----------\n standby1 | 88 | 48000000\n"
    assert told(captured(rows), STUCK) == told([standby], STUCK)
    assert told([standby], STUCK)[0][2] == "the standby standby1 by hot_standby_feedback (48000000 transactions old)"


def test_a_prepared_transaction_goes_before_a_session() -> None:
    idle = fact("session", "database:shop", pid=812, state="idle in transaction", transaction_seconds=9e9)
    assert [each[1] for each in told([idle, *captured(PREPARED_ROWS)], STUCK)] == [PREPARED]


def test_no_stuck_vacuum_a_short_transaction_a_vacuum_or_a_slot_without_xmin_tells_nothing() -> None:
    assert told(captured(PREPARED_ROWS)) == []
    short = fact("session", "database:shop", pid=9, state="active", transaction_seconds=12.0)
    vacuum = fact(
        "session", "database:shop", pid=8, state="active", transaction_seconds=90000.0, query="autovacuum: VACUUM t"
    )
    slot = fact("replication", "database:shop", name="standby", role="slot", active=True)
    assert told([short, vacuum, slot], STUCK) == []


def test_what_another_server_holds_and_a_slot_that_is_read_hold_nothing_here() -> None:
    other = fact("session", "container:pg2", pid=812, state="idle in transaction", transaction_seconds=90000.0)
    assert told([other, fact("container", "container:pg", image="postgres:16")], STUCK) == []
    read = fact("replication", "container:pg", name="cdc", role="slot", active=True, xmin="48812", xmin_age=120)
    unknown = fact("replication", "container:pg", name="cdc", role="slot", active=True, xmin="48812")
    assert told([read, unknown], STUCK) == []
    late = fact("replication", "container:pg", name="cdc", role="slot", active=True, xmin="48812", xmin_age=48_000_000)
    assert len(told([late], STUCK)) == 1


def test_a_transaction_that_was_prepared_just_now_holds_nothing() -> None:
    young = fact("session", "database:shop", state="prepared", transaction_seconds=2.0, query="7_AAAB=")
    assert told([young], STUCK) == []
