"""Packets that a firewall logged as blocked."""

from analysis.joins.logged_drops import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

BLOCK = finding(
    "host:h1", "network.firewall_drop", "[UFW BLOCK] IN=eth0 OUT= SRC=192.0.2.1 LEN=60 PROTO=TCP SPT=4011 DPT=443 SYN"
)
MISSED = finding("service:shop", "network.packets_dropped", "dial tcp 192.0.2.9:443: connect: connection timed out")


def told(*facts: Fact, missed: bool = True) -> list[object]:
    return [each.fact.attributes["value"] for each in joined(case(facts, [BLOCK, MISSED] if missed else [BLOCK]))]


def test_a_blocked_port_that_answers_here_or_is_published_is_told() -> None:
    assert told(fact("probe", "host:localhost", host="127.0.0.1", port=443, ok=True, status=200)) == [443]
    assert told(fact("container", "container:web", ports=["0.0.0.0:443->443/tcp"])) == [443]


def test_a_port_that_nobody_serves_is_noise_of_the_internet() -> None:
    assert told() == []
    assert told(fact("probe", "host:localhost", host="127.0.0.1", port=443, ok=False)) == []
    assert told(fact("container", "container:web", ports=["0.0.0.0:80->80/tcp"])) == []


def test_a_port_that_is_served_inside_alone_or_that_nobody_misses_is_rightly_closed() -> None:
    assert told(fact("container", "container:web", ports=["127.0.0.1:443->443/tcp"])) == []
    assert told(fact("container", "container:web", ports=["0.0.0.0:443->443/tcp"]), missed=False) == []
