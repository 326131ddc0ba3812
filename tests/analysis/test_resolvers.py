"""Who is meant where no name resolves."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.resolvers import of_resolver
from domain.alert import Incident, Window
from domain.evidence import Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
FOUND = Finding("service:pricing.internal", "dns.resolver_down", "the query ended with SERVFAIL", weight=0.6)


def dns(**attributes: object) -> Fact:
    return Fact("dns", "host:web-1", attributes)  # type: ignore[arg-type]


QUERY = dns(query="pricing.internal", status="SERVFAIL")


def meant(*facts: Fact, finding: Finding = FOUND) -> str:
    incident = Incident("i1", "checkout fails", NOW, Window(NOW - timedelta(hours=1), NOW), "UTC", ())
    case = Case(incident, (), (finding,), facts, (), Inventory.build(facts, ()), (), ())
    return of_resolver(case, finding).entity


def test_a_name_that_no_server_resolves_means_the_only_server_that_is_asked() -> None:
    assert meant(QUERY, dns(server="10.0.0.2", type="resolv.conf")) == "service:10.0.0.2"


@pytest.mark.parametrize("server", ["10.0.0.2,10.0.0.3", "127.0.0.53", "127.0.0.11", "::1"])
def test_of_several_servers_or_a_stub_nobody_knows_who_does_not_answer(server: str) -> None:
    assert meant(QUERY, dns(server=server, type="resolv.conf")) == FOUND.entity


def test_who_is_no_name_that_was_asked_for_stays_as_it_is() -> None:
    told = dns(server="10.0.0.2", type="resolv.conf")
    assert meant(QUERY, told, finding=replace(FOUND, entity="service:coredns")) == "service:coredns"
    assert meant(QUERY, told, finding=replace(FOUND, kind="dns.resolution_failed")) == FOUND.entity
