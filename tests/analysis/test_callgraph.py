"""The call graph: who may explain whom."""

import pytest

from analysis.measured.callgraph import callees, distances, is_pseudo, suffering_below
from domain.results import Edge

EDGES = [
    Edge("web", "api"),
    Edge("api", "db"),
    Edge("api", "cache"),
    Edge("web", "lb_remote"),
    Edge("lb_remote", "auth"),
]


def test_distances_follow_calls_and_loops_end() -> None:
    graph = callees([*EDGES, Edge("db", "web"), Edge("db", "db")])
    assert distances(graph, ["web"]) == {"web": 0, "api": 1, "lb_remote": 1, "db": 2, "cache": 2, "auth": 2}


def test_only_those_that_suffer_on_the_way_down_explain() -> None:
    assert suffering_below(callees(EDGES), "web", {"api", "db"}, {}) == {"api", "db"}
    assert suffering_below(callees(EDGES), "web", {"db"}, {}) == set()


def test_a_pseudo_node_is_walked_through_and_is_no_explanation() -> None:
    assert suffering_below(callees(EDGES), "web", {"auth", "lb_remote"}, {}) == {"auth"}


def test_a_callee_that_became_worse_by_next_to_nothing_explains_nothing() -> None:
    added = {"api": {"latency": 1.0}, "db": {"latency": 0.01}, "cache": {"latency": 0.5}}
    assert suffering_below(callees(EDGES), "api", {"db", "cache"}, added) == {"cache"}


@pytest.mark.parametrize(
    "name", ["redis_remote", "orders_client", "unknown", "ingress", "PassthroughCluster", "load-generator"]
)
def test_ends_that_are_only_views_of_others_are_pseudo(name: str) -> None:
    assert is_pseudo(name)


@pytest.mark.parametrize("name", ["orders", "client-billing", "frontend", "remote-jobs"])
def test_services_are_not_pseudo(name: str) -> None:
    assert not is_pseudo(name)
