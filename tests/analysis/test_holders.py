"""Who has the port that somebody else could not listen on."""

from datetime import UTC, datetime

import pytest

from analysis.captures import facts_of
from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.holders import joined
from analysis.lines.timestamps import Clock
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def taken(of: str = "container:dns", **captures: str) -> Finding:
    cited = (Citation("l.1", "logs/dockerd.log"),)
    return Finding(of, "process.port_in_use", "s", cited, weight=0.8, captures=captures or {"address": "0.0.0.0:53"})


def socket(process: str, local: str, state: str = "LISTEN") -> Fact:
    told: dict[str, Attribute] = {"process": process, "local": local, "state": state}
    return Fact("socket", f"process:{process}", told, "artifacts/host.txt")


def publishing(name: str, port: str, state: str = "running") -> Fact:
    told: dict[str, Attribute] = {"state": state, "ports": [port]}
    return Fact("container", f"container:{name}", told, "docker/containers.json")


def found(*facts: Fact, finding: Finding) -> list[tuple[str, object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (finding,), facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["text"], f.fact.attributes["value"]) for f in joined(case)]


def test_a_process_that_listens_on_the_port_has_it_whatever_its_address() -> None:
    local = socket("systemd-resolve", "127.0.0.53%lo:53", "UNCONN")
    assert found(local, finding=taken()) == [("container:dns", "systemd-resolve on 127.0.0.53%lo:53", 53)]
    assert found(socket("nginx", "[::]:80"), finding=taken(port="80"))[0][1] == "nginx on [::]:80"


def test_a_container_that_publishes_the_port_is_named_before_the_engine_s_proxy() -> None:
    facts = (socket("docker-proxy", "0.0.0.0:53"), publishing("old-dns", "0.0.0.0:53->53/udp"))
    assert found(*facts, finding=taken()) == [("container:dns", "the container old-dns", 53)]


def test_another_port_a_client_s_socket_or_the_same_container_tells_nothing() -> None:
    assert found(socket("unbound", "0.0.0.0:5353"), finding=taken()) == []
    assert found(socket("curl", "10.1.0.4:53", "ESTAB"), finding=taken()) == []
    assert found(publishing("dns", "0.0.0.0:53->53/udp"), finding=taken()) == []
    assert found(publishing("old", "0.0.0.0:53->53/udp", "exited"), finding=taken()) == []
    assert found(socket("docker-proxy", "0.0.0.0:53"), finding=taken()) == []


@pytest.mark.parametrize(
    "error",
    [
        "driver failed programming external connectivity on endpoint dns (ab12): Error starting userland proxy: "
        "listen tcp4 0.0.0.0:53: bind: address already in use",
        "failed to set up container networking: Bind for 10.0.0.2:53 failed: port is already allocated",
        "failed to bind host port 0.0.0.0:53/tcp: address already in use",
        "listen tcp [::]:53: bind: address already in use",
    ],
)
def test_the_port_is_read_from_what_the_engine_says_of_a_failed_start(error: str) -> None:
    assert found(socket("named", "0.0.0.0:53"), finding=taken(error=error))[0][1] == "named on 0.0.0.0:53"
    assert found(socket("named", "0.0.0.0:5353"), finding=taken(error=error)) == []


def test_a_socket_in_a_container_s_own_network_holds_no_port_of_the_host() -> None:
    table = 'LISTEN 0 511 0.0.0.0:80 0.0.0.0:* users:(("nginx",pid=7,fd=6))\n'
    inside, outside = (
        facts_of("artifacts/host.txt", f"$ {prefix}ss -ltnp\n{table}", Clock(NOW))
        for prefix in ("docker exec web ", "")
    )
    assert found(*inside, finding=taken(port="80")) == []
    assert found(*outside, finding=taken(port="80"))[0][1] == "nginx on 0.0.0.0:80"


def test_the_other_protocol_or_another_machine_does_not_hold_it() -> None:
    udp = taken(error="listen udp 0.0.0.0:53: bind: address already in use")
    assert found(socket("named", "0.0.0.0:53"), finding=udp) == []
    assert found(socket("named", "0.0.0.0:53", "UNCONN"), finding=udp)[0][1] == "named on 0.0.0.0:53"
    assert found(publishing("old", "0.0.0.0:53->53/tcp"), finding=udp) == []
    machines = (Fact("load", f"host:{name}", {}, "artifacts/host.txt") for name in ("a", "b"))
    assert found(socket("named", "0.0.0.0:53"), *machines, finding=taken()) == []
