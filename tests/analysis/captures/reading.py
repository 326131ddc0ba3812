"""Reads a sample as one file of a bundle, for the tests of captures."""

from datetime import UTC, datetime
from typing import Any

from analysis.captures import facts_of
from analysis.lines.timestamps import Clock
from domain.entity import is_entity
from domain.facts import Fact, attributes_of

CLOCK = Clock(datetime(2026, 3, 1, 12, tzinfo=UTC))


def read(text: str, name: str = "artifacts/facts.txt") -> list[Fact]:
    """The facts, each checked against the vocabulary and its own line."""
    facts = facts_of(name, text, CLOCK)
    lines = text.split("\n")
    for fact in facts:
        assert set(fact.attributes) <= attributes_of(fact.kind), fact
        assert is_entity(fact.entity), fact
        assert fact.quote is None or (fact.line is not None and fact.quote in lines[fact.line - 1]), fact
    return facts


def only(text: str, kind: str, name: str = "artifacts/facts.txt") -> Fact:
    """The only fact of a kind."""
    (fact,) = [fact for fact in read(text, name) if fact.kind == kind]
    return fact


def told(text: str, kind: str) -> dict[str, Any]:
    """The attributes of the only fact of a kind."""
    return dict(only(text, kind).attributes)
