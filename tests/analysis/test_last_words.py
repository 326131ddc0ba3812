"""What does not start says why, and complaints about it are complaints about something that is down."""

from datetime import UTC, datetime

import pytest

from analysis.case import Case
from analysis.combined import combined
from analysis.health import NEAR_STRENGTH
from analysis.inventory import Inventory
from analysis.last_words import FAULT, STATED
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding, Severity
from domain.facts import Fact
from domain.runbook import Runbook

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
STORE = Fact("container", "container:store", {"state": "restarting", "image": "store:2"}, "docker/containers.json")
SHOP = Fact("container", "container:shop", {"state": "running", "image": "shop:2"}, "docker/containers.json")
DOWN = Finding("container:store", "state.restarting", "container:store is restarting", (Citation("i.1", "d"),))
FULL = Runbook("disk-full", "d", "disk.full", "disk", "s")


def line(entity: str, words: str, number: int = 1, severity: Severity = Severity.ERROR) -> Finding:
    cited = Citation("log.1", "logs/x.log", number, words)
    return Finding(entity, "log.error", f"logs/x.log says: {words}", (cited,), severity=severity, weight=0.4)


def case(*findings: Finding) -> Case:
    facts = (STORE, SHOP)
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    return Case(incident, ("container:shop",), findings, facts, (), Inventory.build(facts), (FULL,))


def failed(*findings: Finding) -> list[Finding]:
    return [each for each in combined(case(*findings)).findings if each.kind == FAULT]


def test_the_first_error_of_the_worst_kind_is_what_keeps_it_from_starting() -> None:
    torn = line("service:store", "segment 14 is torn: last record is cut short", 2, Severity.CRITICAL)
    said = failed(DOWN, line("service:store", "reading segments of the log", 1), torn)
    assert [(each.entity, each.captures["error"]) for each in said] == [
        ("container:store", "segment 14 is torn: last record is cut short")
    ]
    assert said[0].citations[0] in torn.citations


@pytest.mark.parametrize(
    "words",
    [
        "dial tcp 10.1.0.8:5432: connect: connection refused",
        "Aborting",
        "ERROR: BOOT FAILED",
        "getaddrinfo ENOTFOUND db",
    ],
)
def test_words_about_another_one_or_about_nothing_are_no_reason(words: str) -> None:
    assert failed(DOWN, line("service:store", words)) == []


def test_what_runs_or_what_a_runbook_knows_needs_no_last_words() -> None:
    own = line("service:store", "segment 14 is torn: last record is cut short")
    known = Finding("container:store", "disk.full", "no space", (), weight=0.9, signature="disk-full/enospc")
    assert failed(own) == []
    assert failed(DOWN, own, known) == []


def test_the_name_of_what_is_down_does_not_resolve_since_it_is_down() -> None:
    lost = Finding("service:shop", "dns.resolution_failed", "s", (), weight=0.65, captures={"host": "store"})
    assert [(f.entity, f.kind) for f in combined(case(DOWN, lost)).findings[1:]] == [
        ("container:store", "dependency.unavailable")
    ]
    assert combined(case(lost)).findings[0].kind == "dns.resolution_failed"


def test_an_address_without_an_owner_is_the_one_named_beside_it_or_the_only_one_that_is_down() -> None:
    def refused(quote: str) -> Finding:
        return Finding(
            "service:10.9.0.3:80", "dependency.unavailable", "s", (Citation("l.1", "logs/x.log", 1, quote),), weight=0.4
        )

    named = refused('Post "http://shop:80/x": dial tcp 10.9.0.3:80: connect: connection refused')
    assert combined(case(named)).findings[0].entity == "container:shop"
    bare = refused("dial tcp 10.9.0.3:80: connect: connection refused")
    assert combined(case(DOWN, bare)).findings[1].entity == "container:store"
    assert combined(case(bare)).findings[0].entity == "service:10.9.0.3:80"


def test_where_nothing_is_known_the_error_that_names_a_cause_is_told_with_little_weight() -> None:
    loud = line("service:shop", "request 7 failed with an exception", 1, Severity.CRITICAL)
    cause = line("service:shop", "permissions 644 for keys.json are too open, please use 600", 2)
    stated = [f for f in combined(case(loud, cause)).findings if f.kind == STATED]
    assert [f.captures["error"] for f in stated] == ["permissions 644 for keys.json are too open, please use 600"]
    assert stated[0].weight < NEAR_STRENGTH
    known = Finding("disk:/", "disk.full", "no space", (), weight=0.9, signature="disk-full/enospc")
    assert not any(f.kind == STATED for f in combined(case(loud, cause, known)).findings)


def test_what_was_always_said_or_tells_of_another_is_not_stated() -> None:
    def said(kind: str, words: str) -> list[str]:
        one = Finding("service:web", kind, f"logs/web.log says: {words}", (Citation("l.1", "logs/web.log", 1, words),))
        return [f.captures["error"] for f in combined(case(one)).findings if f.kind == STATED]

    assert said("log.error", "the picture host was slow, 900ms") == []
    assert said("log.burst", "SOAPFault: SERVICE_UNAVAILABLE") == []
    assert said("log.new", "the tax check returned 502") == []
    assert said("log.new", "cannot parse the price of article 7") == ["cannot parse the price of article 7"]
    assert said("log.error", "the quota of 50 reports is exceeded") == ["the quota of 50 reports is exceeded"]


@pytest.mark.parametrize("words", ["tax check failed: XY_UNAVAILABLE", "quote ended, the carrier returned 503"])
def test_the_failure_of_another_is_no_stated_error(words: str) -> None:
    said = line("container:shop", f"order 118 not placed: {words}, limit reached")
    own = line("container:shop", "order 118 not placed: the limit is reached")
    assert [each.kind for each in combined(case(own)).findings].count(STATED) == 1
    assert [each.kind for each in combined(case(said)).findings].count(STATED) == 0
