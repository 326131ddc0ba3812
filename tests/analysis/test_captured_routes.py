"""A bridge of this machine covers the address of a server elsewhere."""

from datetime import UTC, datetime

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.captured_routes import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
CITED = (Citation("l.1", "logs/shop.log"),)
UNREACHED = Finding("container:shop", "network.unreachable", "s", CITED, captures={"target": "172.21.8.9:636"})


def route(destination: str, device: str, gateway: str = "") -> Fact:
    told: dict[str, Attribute] = {"destination": destination, "device": device}
    return Fact("route", f"network:{device}", told | ({"gateway": gateway} if gateway else {}), "artifacts/net.txt")


def probe(host: str, ok: bool, error: str = "") -> Fact:
    return Fact("probe", f"network:{host}", {"host": host, "ok": ok, "error": error}, "artifacts/net.txt")


def container(name: str, network: str) -> Fact:
    return Fact("container", f"container:{name}", {"networks": [network]}, "docker/containers.json")


def found(*facts: Fact, findings: tuple[Finding, ...] = (UNREACHED,)) -> list[tuple[str, object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["text"], f.fact.attributes["value"]) for f in joined(case)]


BRIDGE = route("172.21.0.0/16", "br-0a1b2c3d4e5f")
CREATED = Fact("event", "network:stats", {"type": "network", "reason": "create", "object": "0a1b2c3d4e5f99"}, "e")


def test_an_address_that_another_machine_reaches_is_captured_by_the_bridge_that_covers_it() -> None:
    facts = (BRIDGE, probe("172.21.8.9", ok=True), container("stats", "stats_default=172.21.0.2"))
    assert found(*facts) == [("network:stats_default", "br-0a1b2c3d4e5f, 172.21.0.0/16", "172.21.8.9")]


def test_so_is_one_that_a_probe_cannot_reach_since_the_network_was_created() -> None:
    seen = found(BRIDGE, CREATED, probe("172.21.8.9", ok=False, error="Destination Host Unreachable"), findings=())
    assert seen == [("network:br-0a1b2c3d4e5f", "br-0a1b2c3d4e5f, 172.21.0.0/16", "172.21.8.9")]


def test_so_is_one_that_a_route_of_a_tunnel_or_gateway_would_reach() -> None:
    failed = probe("172.21.8.9", ok=False, error="Destination Host Unreachable")
    seen = [("network:br-0a1b2c3d4e5f", "br-0a1b2c3d4e5f, 172.21.0.0/16", "172.21.8.9")]
    assert found(BRIDGE, route("172.21.0.0/16", "tun0", "10.8.0.1"), failed, findings=()) == seen
    assert found(BRIDGE, route("172.16.0.0/12", "wg0"), failed, findings=()) == seen
    assert found(BRIDGE, route("default", "eth0", "192.0.2.1"), failed, findings=()) == []
    gone = probe("172.21.0.5", ok=False, error="Destination Host Unreachable")
    assert found(BRIDGE, route("172.16.0.0/12", "wg0"), gone, findings=()) == []
    assert found(BRIDGE, route("172.22.0.0/16", "wg0"), failed, findings=()) == []
    assert found(BRIDGE, route("172.16.0.0/12", "wg0"), probe("172.21.8.9", ok=True), findings=()) == []


def test_a_neighbour_that_died_in_a_new_network_is_not_elsewhere() -> None:
    gone = probe("172.21.0.3", ok=False, error="No route to host")
    assert found(BRIDGE, CREATED, gone, findings=()) == []
    asked = route("172.21.0.3", "br-0a1b2c3d4e5f")
    assert found(asked, gone, findings=()) == []
    assert found(BRIDGE, asked, gone, findings=()) == []


def test_a_container_s_own_address_an_uplink_a_gateway_or_no_proof_is_none() -> None:
    reached = probe("172.21.8.9", ok=True)
    assert found(BRIDGE, reached, container("ldap", "stats=172.21.8.9")) == []
    assert found(route("172.21.0.0/16", "eth0"), reached) == []
    assert found(route("172.21.0.0/16", "br-0a1b2c3d4e5f", "10.1.0.1"), reached) == []
    assert found(route("172.22.0.0/16", "br-0a1b2c3d4e5f"), reached) == []
    assert found(BRIDGE) == []
    assert found(BRIDGE, reached, findings=()) == []


def test_a_route_that_somebody_asked_for_the_address_is_proof_enough() -> None:
    asked = route("172.21.8.9", "br-0a1b2c3d4e5f")
    assert found(asked) == [("network:br-0a1b2c3d4e5f", "br-0a1b2c3d4e5f, 172.21.8.9/32", "172.21.8.9")]
    assert found(asked, container("ldap", "stats=172.21.8.9")) == []


def test_a_machine_that_was_asked_there_and_has_the_address_is_elsewhere() -> None:
    def asked(command: str, text: str) -> Fact:
        return Fact("reading", "host:files.lan", {"command": command, "text": text}, "artifacts/net.txt")

    bridge = route("172.21.0.0/16", "br-0a1b2c3d4e5f")
    there = asked("ssh files.lan hostname -I", "172.21.8.9 10.0.0.4")
    assert [each[0] for each in found(bridge, there)] == ["network:br-0a1b2c3d4e5f"]
    assert found(bridge, asked("hostname -I", "172.21.8.9 10.0.0.4")) == []
    assert found(bridge, asked("ssh files.lan hostname -I", "10.0.0.4")) == []
