"""Published ports, and a NAT table without the engine's chains."""

from analysis.joins.flushed import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact


def chain(name: str, **told: str) -> Fact:
    return fact("firewall", f"network:{name}", table="nat", chain=name, **told)


WEB = fact("container", "container:web", ports=["0.0.0.0:80->80/tcp"])
BUILT_IN = [chain("PREROUTING"), chain("OUTPUT"), chain("POSTROUTING")]


def found(*facts: Fact) -> list[object]:
    return [told.fact.attributes["value"] for told in joined(case(facts))]


def test_a_published_port_needs_the_engine_s_chain() -> None:
    assert found(*BUILT_IN, WEB) == ["0.0.0.0:80->80/tcp"]


def test_a_chain_a_jump_part_of_the_table_or_no_published_port_is_none() -> None:
    assert found(*BUILT_IN, chain("DOCKER"), WEB) == []
    assert found(*BUILT_IN, chain("PREROUTING", target="DOCKER"), WEB) == []
    assert found(chain("POSTROUTING"), WEB) == []
    assert found(*BUILT_IN, fact("container", "container:web", ports=["80/tcp"])) == []
    assert found(*BUILT_IN) == []
