"""A pooler's mode beside prepared statements that are lost."""

from analysis.joins.pool_modes import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

LOST = finding(
    "container:app", "database.pooler_mode", signature="database-pooler-mode/statement_lost", statement="S_1"
)
POOLER = fact("container", "container:pgb", image="edoburu/pgbouncer:1.18")


def found(*facts: Fact, lost: bool = True) -> list[object]:
    told = joined(case(facts, [LOST] if lost else []))
    return [(f.fact.entity, f.fact.attributes["value"], f.fact.attributes["pending"]) for f in told]


def test_the_mode_of_a_file_a_diff_or_an_environment_is_the_pooler_s() -> None:
    diff = fact("reading", "host:localhost", text="-pool_mode = session\n+pool_mode = transaction")
    assert found(diff, POOLER) == [("container:pgb", "transaction", "session")]
    setting = fact("setting", "host:localhost", name="pool_mode", value="statement")
    assert found(setting, POOLER) == [("container:pgb", "statement", "")]
    env = fact("container", "container:pgb", image="edoburu/pgbouncer:1.18", env=["PGBOUNCER_POOL_MODE=transaction"])
    assert found(env) == [("container:pgb", "transaction", "")]


def test_session_mode_or_no_lost_statement_tells_nothing() -> None:
    assert found(fact("reading", "host:localhost", text="pool_mode = session"), POOLER) == []
    back = fact("reading", "host:localhost", text="-pool_mode = transaction\n+pool_mode = session")
    assert found(back, POOLER) == []
    assert found(fact("reading", "host:localhost", text="pool_mode = transaction"), POOLER, lost=False) == []
