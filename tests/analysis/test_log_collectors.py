"""Containers whose logging driver cannot reach its collector, since that is down itself."""

from analysis.joins.log_collectors import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

REFUSED = (
    "failed to create task for container: failed to initialize logging driver: dial tcp {}: connect: connection refused"
)
DOWN = finding("container:collector", "state.restarting")
BROKEN = finding("container:collector", "config.plugin_missing")


def shop(address: str = "127.0.0.1:24224") -> Fact:
    return fact("container", "container:shop", error=REFUSED.format(address))


def collector(port: str = "127.0.0.1:24224->24224/tcp") -> Fact:
    return fact("container", "container:collector", ports=[port])


def found(*facts: Fact, down: bool = True) -> list[tuple[object, object]]:
    findings = (DOWN, BROKEN) if down else (BROKEN,)
    return [(told.fact.entity, told.fact.attributes["value"]) for told in joined(case(facts, findings))]


def test_the_collector_that_publishes_the_port_and_is_down_is_told() -> None:
    assert found(shop(), collector()) == [("container:shop", "collector")]


def test_the_collector_that_has_the_name_is_told() -> None:
    assert found(shop("collector:24224"), collector("")) == [("container:shop", "collector")]


def test_a_collector_that_runs_another_port_machine_or_error_is_none() -> None:
    assert found(shop(), collector(), down=False) == []
    assert found(shop("127.0.0.1:12201"), collector()) == []
    assert found(shop("10.0.0.9:24224"), collector()) == []
    elsewhere = Fact("container", "container:collector", {"ports": ["24224->24224/tcp"]}, "docker/other.json")
    assert found(shop(), elsewhere) == []
    assert found(fact("container", "container:shop", error="port is already allocated"), collector()) == []
