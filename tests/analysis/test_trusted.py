"""A proxy whose address is none of those that the program behind it trusts."""

from datetime import UTC, datetime

import pytest

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.trusted import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
EDGE = Fact("container", "container:edge", {"networks": ["front=10.30.0.4"]}, "docker/containers.json")


def refused(proxy: str, kind: str = "config.untrusted_proxy") -> Finding:
    return Finding("service:hub", kind, "s", (Citation("l.1", "logs/hub.log"),), weight=0.9, captures={"proxy": proxy})


def setting(value: str, name: str = "http.trusted_proxies.0") -> Fact:
    return Fact("setting", "host:localhost", {"name": name, "value": value}, "artifacts/facts.txt")


def found(finding: Finding, *facts: Fact) -> list[tuple[str, object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (finding,), facts, (), Inventory.build(facts), ())
    told = [each.fact for each in joined(case)]
    return [(f.entity, f.attributes["trusted"], f.attributes.get("name")) for f in told]


def test_an_address_outside_of_all_ranges_is_told_with_its_network() -> None:
    ranges = (setting("127.0.0.1"), setting("10.18.0.0/16", "http.trusted_proxies.1"))
    assert found(refused("10.30.0.4"), EDGE, *ranges) == [("service:hub", "127.0.0.1, 10.18.0.0/16", "front")]
    app = Fact("container", "container:hub", {"env": ["TRUSTED_PROXIES=10.18.0.0/16"]}, "docker/containers.json")
    assert found(refused("10.30.0.4"), app) == [("service:hub", "10.18.0.0/16", None)]


@pytest.mark.parametrize(
    ("finding", "facts"),
    [
        (refused("10.18.0.9"), (setting("10.18.0.0/16"),)),  # it is covered: something else is wrong
        (refused("10.30.0.4"), (setting("10.18.0.0/16", "subnet"),)),  # no setting of trust
        (refused("10.30.0.4"), ()),
        (refused("10.30.0.4", "proxy.upstream_down"), (setting("10.18.0.0/16"),)),
        (refused("fd00::4"), (setting("fd00::/8"),)),
        (refused("edge"), (setting("10.18.0.0/16"),)),  # a name is no address
    ],
)
def test_a_covered_address_or_no_setting_is_none(finding: Finding, facts: tuple[Fact, ...]) -> None:
    assert found(finding, *facts) == []
