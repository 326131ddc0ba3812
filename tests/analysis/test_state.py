"""State tests on single facts."""

import pytest

from analysis.state import predicate
from domain.facts import Attribute, Fact
from domain.runbook import Condition, StateTest

TRUE: list[tuple[Condition, Attribute]] = [
    (Condition("a", equals=137), 137),
    (Condition("a", equals=137), "137"),
    (Condition("a", equals="Running"), "running"),
    (Condition("a", equals=True), True),
    (Condition("a", equals=True), "on"),
    (Condition("a", equals="x"), ["y", "x"]),
    (Condition("a", above=90.0), 91),
    (Condition("a", below=90.0), "12.5"),
    (Condition("a", matches="^ngi"), "nginx:1"),
    (Condition("a", matches="80/tcp"), ["443/tcp", "80/tcp"]),
    (Condition("a", one_of=("x", 3)), 3),
    (Condition("a", present=True), "x"),
    (Condition("a", present=False), None),
    (Condition("a", present=False), []),
    (Condition("a", equals="running", negate=True), "exited"),
    (Condition("a", one_of=("x", "y"), negate=True), "z"),
    (Condition("a", equals=0), 0),
    (Condition("a", equals=False), False),
]
FALSE: list[tuple[Condition, Attribute]] = [
    (Condition("a", equals=1), True),
    (Condition("a", equals=True), 1),
    (Condition("a", equals=True), "true story"),
    (Condition("a", above=90.0), 90),
    (Condition("a", above=90.0), True),
    (Condition("a", above=90.0), "many"),
    (Condition("a", matches="^ngi"), "engine"),
    (Condition("a", one_of=("x", "y"), negate=True), ["x", "z"]),
    (Condition("a", present=True), ""),
    (Condition("a", present=False), 0),
    (Condition("a", present=False, negate=True), None),
]


@pytest.mark.parametrize(("condition", "value"), TRUE)
def test_a_value_satisfies(condition, value):
    assert predicate(Fact("container", "container:web", {"a": value}), StateTest("container", (condition,)))


@pytest.mark.parametrize(("condition", "value"), FALSE)
def test_a_value_does_not_satisfy(condition, value):
    assert not predicate(Fact("container", "container:web", {"a": value}), StateTest("container", (condition,)))


@pytest.mark.parametrize("condition", [Condition("a", equals="x", negate=True), Condition("a", below=1.0)])
def test_what_a_source_does_not_say_satisfies_nothing(condition):
    assert not predicate(Fact("container", "container:web", {}), StateTest("container", (condition,)))


def test_a_fact_of_another_kind_does_not_satisfy():
    assert not predicate(Fact("pod", "pod:web", {"a": 1}), StateTest("container", (Condition("a", equals=1),)))
