"""A heap that is sized by the machine's memory, above the limit of a container that was killed."""

import pytest

from analysis.joins.host_heap import joined
from domain.evidence import Finding
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

GIB = 1 << 30
KILLED = finding("container:api", "memory.oom_kill")
OLD = finding(
    "container:api", "memory.heap_sees_host", signature="memory-heap-sees-host/old_runtime", runtime="java 1.8.0_252"
)
CONTAINER = fact("container", "container:api", memory_limit=GIB)
FLAGS = fact("reading", "container:api", text="    uintx MaxHeapSize       := 8388608000       {product}")
UNIFIED = fact("setting", "host:box", name="cgroup version", value="2")
HOST = fact("memory", "host:box", total=32 * GIB)


def found(*facts: Fact, by: tuple[Finding, ...] = (KILLED,)) -> list[object]:
    return [told.fact.attributes["text"] for told in joined(case(facts, by))]


def test_an_effective_heap_above_the_limit_is_by_the_hosts_memory() -> None:
    assert found(CONTAINER, FLAGS, HOST) == ["heap of 7.81 GiB, limit 1 GiB, host memory 32 GiB"]


@pytest.mark.parametrize(
    "text", ["    Max. Heap Size (Estimated): 7.81G", "heap size [7.8gb], compressed", "heap_size_limit: 8388608000"]
)
def test_every_wording_of_the_heap_is_read(text: str) -> None:
    assert found(CONTAINER, fact("reading", "container:api", text=text))


def test_a_runtime_that_cannot_read_the_machines_cgroups_is_told() -> None:
    assert found(CONTAINER, UNIFIED, by=(KILLED, OLD)) == ["java 1.8.0_252 on cgroup v2, limit 1 GiB"]


def test_a_heap_that_fits_or_was_bound_by_hand_and_who_was_not_killed_are_none() -> None:
    fits = fact("reading", "container:api", text="MaxHeapSize := 536870912 {product}")
    bound = fact("container", "container:api", memory_limit=GIB, env=["JAVA_OPTS=-Xmx8g"])
    other = fact("reading", "container:web", text="MaxHeapSize := 8388608000 {product}")
    assert found(CONTAINER, fits) == found(bound, FLAGS) == found(CONTAINER, other) == []
    assert found(CONTAINER, FLAGS, by=()) == []
    first = fact("setting", "host:box", name="cgroup version", value="1")
    assert found(CONTAINER, first, by=(KILLED, OLD)) == found(CONTAINER, UNIFIED) == []


def test_which_of_two_machines_it_ran_on_is_not_guessed() -> None:
    other = fact("setting", "host:old", name="cgroup version", value="1")
    assert found(CONTAINER, UNIFIED, other, by=(KILLED, OLD)) == []
