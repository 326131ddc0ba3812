"""Numbers beside what they count against."""

from analysis.compared import Machine, used_up
from domain.facts import Attribute, Fact


def fact(kind: str, of: str, **told: Attribute) -> Fact:
    return Fact(kind, of, told, "artifacts/facts.txt")


def compared(one: Fact, *others: Fact) -> dict[str, Attribute]:
    return Machine.of((one, *others)).compared(one).attributes


def test_a_bridge_is_compared_with_the_smallest_uplink_of_its_source() -> None:
    uplinks = (
        fact("interface", "network:eth0", name="eth0", mtu=1500),
        fact("interface", "network:eth1", name="eth1", mtu=1400),
    )
    assert compared(fact("interface", "network:br-1", name="br-1", mtu=1500), *uplinks)["mtu_over"] == 100
    assert compared(fact("interface", "network:docker0", name="docker0", mtu=1400), *uplinks)["mtu_over"] == 0
    assert "mtu_over" not in compared(fact("interface", "network:lo", name="lo", mtu=65536), *uplinks)


def test_load_is_told_for_each_processor_of_the_same_machine() -> None:
    load = fact("load", "host:a", load1=24.0)
    assert compared(load, fact("cpu", "host:a", cpus=8))["per_cpu"] == 3.0
    assert "per_cpu" not in compared(load, fact("cpu", "host:b", cpus=8))


def test_a_statement_is_told_with_its_table_and_the_user_who_makes_most_of_the_load() -> None:
    query = fact("sql", "query:q", statement="SELECT * FROM ledger WHERE day = $1", load=4.0)
    users = [fact("sql", "database:d", user=name, load=load) for name, load in (("app", 9.0), ("admin", 1.0))]
    told = compared(query, *users)
    assert (told["table"], told["user"]) == ("ledger", "app")
    assert "user" not in compared(query, *users, fact("sql", "database:d", user="jobs", load=9.0))


def test_processes_and_connections_are_a_share_of_their_limit() -> None:
    assert used_up(fact("container", "container:a", pids=99, pids_limit=100)).attributes["pids_percent"] == 99.0
    assert used_up(fact("pool", "database:d", active=5, max=20)).attributes["used_percent"] == 25.0
    assert "pids_percent" not in used_up(fact("container", "container:a", pids=99)).attributes
