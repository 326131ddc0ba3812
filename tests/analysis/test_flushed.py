"""Published ports, and a NAT table without the engine's chains."""

from analysis.joins.flushed import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding


def chain(name: str, **told: str) -> Fact:
    return fact("firewall", f"network:{name}", table="nat", chain=name, **told)


WEB = fact("container", "container:web", ports=["0.0.0.0:80->80/tcp"])
FAILS = fact("probe", "container:web", host="web.example.org", ok=False, error="timed out")
BUILT_IN = [chain("PREROUTING"), chain("OUTPUT"), chain("POSTROUTING")]


def found(*facts: Fact) -> list[object]:
    return [told.fact.attributes["value"] for told in joined(case(facts))]


def test_a_published_port_needs_the_engine_s_chain() -> None:
    assert found(*BUILT_IN, WEB, FAILS) == ["0.0.0.0:80->80/tcp"]
    flushed = finding("host:localhost", "network.firewall_flushed", "iptables -t nat -F")
    told = joined(case([*BUILT_IN, WEB], [flushed]))
    assert [each.fact.attributes["value"] for each in told] == ["0.0.0.0:80->80/tcp"]


def test_a_server_that_answers_with_an_error_is_reached() -> None:
    bad = fact("probe", "container:web", host="web.example.org", ok=False, status="502", error="HTTP 502")
    assert found(*BUILT_IN, WEB, bad) == []


def test_engines_that_keep_their_rules_elsewhere_and_other_machines_need_none() -> None:
    assert found(*BUILT_IN, WEB) == []
    assert found(*BUILT_IN, WEB, FAILS, fact("process", "process:conmon", command="/usr/bin/conmon --api")) == []
    assert found(*BUILT_IN, WEB, FAILS, fact("reading", "host:a", text="firewall_driver = netavark")) == []
    podman = fact("container", "container:web", ports=["0.0.0.0:80->80/tcp"], engine="podman")
    assert found(*BUILT_IN, podman, FAILS) == []
    assert found(*BUILT_IN, WEB, FAILS, fact("load", "host:a"), fact("load", "host:b")) == []


def test_a_chain_a_jump_part_of_the_table_or_no_published_port_is_none() -> None:
    assert found(FAILS, *BUILT_IN, chain("DOCKER"), WEB) == []
    assert found(FAILS, *BUILT_IN, chain("PREROUTING", target="DOCKER"), WEB) == []
    assert found(FAILS, chain("POSTROUTING"), WEB) == []
    assert found(FAILS, *BUILT_IN, fact("container", "container:web", ports=["80/tcp"])) == []
    assert found(FAILS, *BUILT_IN) == []
