"""Containers that ask themselves."""

from analysis.joins.own_loopback import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

REFUSED = finding(
    "container:tunnel", "log.error", "dial tcp 127.0.0.1:8123: connect: connection refused", "logs/tunnel.log"
)
TUNNEL = fact("container", "container:tunnel", state="running", network_mode="tunnel_default")
ANSWER = fact("probe", "host:localhost", host="localhost", port=8123, ok=True, status=200)


def told(*facts: Fact) -> list[str]:
    return [each.fact.entity for each in joined(case(facts, [REFUSED]))]


def test_a_container_that_is_refused_where_the_machine_is_answered_is_told() -> None:
    assert told(TUNNEL, ANSWER) == ["container:tunnel"]
    neighbour = fact("container", "container:ha", state="running", ports=["0.0.0.0:8123->8123/tcp"])
    assert told(TUNNEL, neighbour) == ["container:tunnel"]


def test_host_network_no_answer_and_other_ports_tell_nothing() -> None:
    assert told(fact("container", "container:tunnel", state="running", network_mode="host"), ANSWER) == []
    assert told(TUNNEL) == []
    assert told(TUNNEL, fact("probe", "host:localhost", host="localhost", port=8123, ok=False)) == []
    assert told(TUNNEL, fact("container", "container:ha", state="running", ports=["0.0.0.0:80->80/tcp"])) == []


def test_a_program_that_is_down_is_not_the_neighbour_of_the_same_port() -> None:
    own = fact("container", "container:tunnel", state="running", exposed_ports=["8123/tcp"])
    assert told(own, fact("container", "container:ha", state="running", exposed_ports=["8123/tcp"])) == []
