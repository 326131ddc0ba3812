"""Which check decides: one about the rival, of either side, else the cheapest of the best hypothesis."""

from dataclasses import replace

import pytest

from domain.evidence import Finding
from domain.runbook import Remedy, Runbook
from tests.analysis.test_hypotheses import case, decided, finding


def runbook(fault: str, *checks: str) -> Runbook:
    return Runbook(fault.replace(".", "-"), "", fault, "container", fault, checks=tuple(map(Remedy, checks)))


GROUP = "In the kernel's log stands a group, or none for the whole host"
CGROUP = runbook("memory.oom_kill", "The exit code is 137", GROUP)
HOST = runbook("memory.host_oom", "Others were killed as well")
LEAK = runbook("memory.leak", "Usage climbs", "After an oom kill it starts low again")
PORT = runbook("process.port_in_use", "Who listens there")
BEST = finding("container:web", "memory.oom_kill", 0.9)


def told(*findings: Finding) -> str:
    of = replace(case(*findings), knowledge=(CGROUP, HOST, LEAK, PORT))
    return decided(of).next_check


def test_alone_the_cheapest_check_of_the_best_is_told() -> None:
    assert told(BEST) == "The exit code is 137"


@pytest.mark.parametrize(
    ("rival", "weight", "check"),
    [
        (
            "memory.host_oom",
            0.8,
            GROUP,
        ),  # one of the best's is about it
        ("memory.leak", 0.8, "After an oom kill it starts low again"),  # one of the rival's is about the best
        ("process.port_in_use", 0.8, "The exit code is 137"),  # none is about the other: `in` is no word
        ("memory.host_oom", 0.2, "The exit code is 137"),  # it does not come near
    ],
)
def test_the_check_is_one_that_tells_the_best_from_its_rival(rival: str, weight: float, check: str) -> None:
    assert told(BEST, finding("container:db", rival, weight)) == check


def test_what_follows_from_the_best_is_no_rival() -> None:
    explains = replace(CGROUP, explains=("memory.host_oom",))
    of = replace(case(BEST, finding("container:web", "memory.host_oom", 0.8)), knowledge=(explains, HOST))
    assert decided(of).next_check == "The exit code is 137"
