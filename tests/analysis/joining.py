"""A case of facts and findings, for the tests of joins."""

from collections.abc import Sequence
from datetime import UTC, datetime

from analysis.case import Case
from analysis.inventory import Inventory
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def fact(kind: str, of: str, at: datetime | None = None, **told: Attribute) -> Fact:
    """A fact of some capture."""
    return Fact(kind, of, told, "artifacts/facts.txt", at)


def finding(of: str, kind: str, quote: str = "", source: str = "logs/app.log", **more: str) -> Finding:
    """A finding that cites one line; `signature` apart, `more` are its captures."""
    cited = (Citation("log.1", source, 1, quote or None),)
    return Finding(of, kind, "s", cited, signature=more.pop("signature", ""), captures=more)


def case(facts: Sequence[Fact], findings: Sequence[Finding] = ()) -> Case:
    """The case that knows these, each fact with a place to cite."""
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    places = tuple(f"infra.1/facts/{at}" for at in range(len(facts)))
    return Case(incident, (), tuple(findings), tuple(facts), (), Inventory.build(facts), (), places=places)
