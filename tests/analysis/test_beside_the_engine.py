"""What the machine has and its engine or container has not."""

from analysis.joins.beside_the_engine import PROXY, REPLACED, joined
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact, finding

PULL = finding(
    "host:h1",
    "log.error",
    'Get "https://registry-1.docker.io/v2/": net/http: request canceled (Client.Timeout exceeded)',
)
SHELL = fact("setting", "host:localhost", name="https_proxy", value="http://proxy:3128")
UNIT = fact("reading", "host:localhost", command="systemctl show docker -p Environment", text="Environment=")


def told(*facts: Fact, pull: bool = True) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts, [PULL] if pull else []))]


def test_a_proxy_of_the_shell_alone_is_told_when_pulls_time_out() -> None:
    assert told(SHELL, UNIT) == [PROXY]
    assert told(SHELL, UNIT, pull=False) == []
    assert told(UNIT) == []
    full = fact("reading", "host:localhost", command="systemctl show docker -p Environment", text="Environment=A=b")
    assert told(SHELL, full) == []


def test_a_file_with_two_inodes_was_replaced() -> None:
    def inode(of: str, number: str, name: str = "prometheus.yml") -> Fact:
        return fact("reading", of, command=f"stat -c %i /etc/x/{name}", text=number)

    assert told(inode("host:localhost", "11"), inode("container:prom", "12")) == [REPLACED]
    assert told(inode("host:localhost", "11"), inode("container:prom", "11")) == []
    assert told(inode("host:localhost", "11", "other.yml"), inode("container:prom", "12")) == []
    assert told(inode("host:localhost", "11"), inode("host:localhost", "12")) == []


def test_two_machines_an_empty_answer_and_files_that_each_container_has_tell_nothing() -> None:
    assert told(fact("setting", "host:laptop", name="https_proxy", value="http://proxy:3128"), UNIT) == []
    for text, name in ((" ", "x.yml"), ("12", "resolv.conf")):
        inside = fact("reading", "container:prom", command=f"md5sum /etc/{name}", text=text)
        assert told(fact("reading", "host:localhost", command=f"md5sum /etc/{name}", text="11"), inside) == []
