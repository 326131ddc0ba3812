"""A proxy that the shell has and the engine has not."""

from analysis.joins.shell_proxy import NAME, joined
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
    assert told(SHELL, UNIT) == [NAME]
    assert told(SHELL, UNIT, pull=False) == []
    assert told(UNIT) == []
    full = fact("reading", "host:localhost", command="systemctl show docker -p Environment", text="Environment=A=b")
    assert told(SHELL, full) == []


def test_the_proxy_of_another_machine_tells_nothing() -> None:
    assert told(fact("setting", "host:laptop", name="https_proxy", value="http://proxy:3128"), UNIT) == []
