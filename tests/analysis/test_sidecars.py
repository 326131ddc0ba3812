"""A job whose pod is kept by a helper."""

import pytest

from analysis.joins.sidecars import joined
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact


def container(name: str, state: str, **told: Attribute) -> Fact:
    of: dict[str, Attribute] = {"pod": "bill-1", "state": state}
    return Fact("container", f"container:{name}", of | told, "artifacts/facts.txt")


def kept(owner: str, *containers: Fact) -> list[tuple[str, object]]:
    pod = fact("pod", "pod:bill-1", owner=owner)
    return [(told.fact.entity, told.fact.attributes["value"]) for told in joined(case([pod, *containers]))]


DONE = container("work", "terminated", exit_code=0)
PROXY = container("mesh-proxy", "running")


def test_the_work_is_done_and_the_proxy_runs_on() -> None:
    init = container("init", "terminated", exit_code=0, init=True)
    assert kept("Job/bill", init, DONE, PROXY) == [("service:bill", "mesh-proxy")]


@pytest.mark.parametrize("work", [container("work", "running"), container("work", "terminated", exit_code=1)])
def test_work_that_goes_on_or_failed_is_another_matter(work: Fact) -> None:
    assert kept("Job/bill", work, PROXY) == []


def test_only_jobs_have_to_end_and_only_with_all_containers_known() -> None:
    assert kept("ReplicaSet/bill", DONE, PROXY) == []
    assert kept("Job/bill", DONE, container("other", "waiting"), PROXY) == []


def test_of_two_that_may_both_be_the_work_none_is_a_helper() -> None:
    assert kept("Job/bill", container("prepare", "terminated", exit_code=0), container("work", "running")) == []
    assert kept("Job/bill-29", container("bill", "terminated", exit_code=0), container("redis", "running")) != []
