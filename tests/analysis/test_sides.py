"""Whose fault it is: the server's of which clients complain, and the owner's of an address."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from analysis.candidates import candidates
from analysis.case import Case
from analysis.inventory import Inventory
from analysis.sides import sided
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact
from domain.results import Edge
from domain.runbook import Runbook, Signature

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
CACHE = Runbook(
    "cache-maxmemory",
    "d",
    "cache.maxmemory",
    "service",
    "s",
    signatures=(Signature("oom", "r", 0.9, text="OOM command"),),
)
TLS = Runbook(
    "tls-expired",
    "d",
    "tls.certificate_expired",
    "certificate",
    "s",
    signatures=(Signature("said", "r", 0.8, text="expired"),),
)
OOM = Runbook("memory-oom-kill", "d", "memory.oom_kill", "container", "s")  # fmt: skip
EDGES = (Edge("shop", "sessions"), Edge("shop", "mail"))
REDIS = Fact("cache", "service:sessions", {"used_memory": 9}, "artifacts/facts.txt")
HOSTS = Fact(
    "dns", "service:mail", {"query": "mail", "addresses": ["10.1.0.8"], "type": "hosts"}, "artifacts/facts.txt"
)


def said(entity: str, kind: str, signature: str, **captures: str) -> Finding:
    cited = (Citation("log.1", f"logs/{entity.partition(':')[2]}.log", 1, "it says so there"),)
    return Finding(entity, kind, f"{entity} says", cited, weight=0.8, signature=signature, captures=captures)


def case(*findings: Finding, facts: tuple[Fact, ...] = (REDIS, HOSTS), edges: tuple[Edge, ...] = EDGES) -> Case:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    return Case(incident, ("service:shop",), findings, facts, (), Inventory.build(facts, edges), (CACHE, TLS, OOM))


OF_CACHE = said("service:shop", "cache.maxmemory", "cache-maxmemory/oom")


def test_what_a_client_is_told_by_its_cache_is_the_caches_fault() -> None:
    assert sided(case(), OF_CACHE).entity == "service:sessions"


@pytest.mark.parametrize("edges", [(), (Edge("shop", "mail"),), (*EDGES, Edge("shop", "redis-2"))])
def test_the_client_stays_where_no_server_or_more_than_one_fits(edges: tuple[Edge, ...]) -> None:
    assert sided(case(edges=edges), OF_CACHE).entity == "service:shop"


def test_a_server_that_speaks_of_itself_keeps_its_fault() -> None:
    own = said("service:sessions", "cache.maxmemory", "cache-maxmemory/oom")
    assert sided(case(edges=(Edge("sessions", "redis-2"),)), own).entity == "service:sessions"


def test_an_address_is_the_one_whose_name_the_hosts_file_gives_it() -> None:
    assert sided(case(), said("service:10.1.0.8:25", "proxy.upstream_down", "p/refused")).entity == "service:mail"
    unknown = said("service:10.1.0.9:25", "proxy.upstream_down", "p/refused")
    assert sided(case(), unknown) is unknown


def test_a_host_that_cannot_be_resolved_is_at_fault_where_the_topology_knows_it() -> None:
    for host, entity in (("mail", "service:mail"), ("mial", "service:shop")):
        found = said("service:shop", "dns.resolution_failed", "dns/host", host=host)
        assert sided(case(), found).entity == entity


def test_client_and_server_that_tell_of_one_fault_are_one_candidate_of_the_server() -> None:
    both = said("service:shop", "tls.certificate_expired", "tls-expired/said"), said(
        "service:mail", "tls.certificate_expired", "tls-expired/probe")  # fmt: skip
    (found,) = candidates(case(*both))
    assert (found.entity, len(found.findings)) == ("service:mail", 2)


def test_a_certificate_stands_for_the_server_whose_name_it_bears() -> None:
    facts = (REDIS, HOSTS, Fact("certificate", "certificate:mail", {"days_left": -1.0}))
    (found,) = candidates(case(said("service:mail", "tls.certificate_expired", "tls-expired/probe"), facts=facts))
    assert found.entity == "certificate:mail"


def test_two_that_were_killed_stay_two_though_one_needs_the_other() -> None:
    killed = [said(of, "memory.oom_kill", "memory-oom-kill/state") for of in ("service:shop", "service:sessions")]
    assert {c.entity for c in candidates(case(*killed))} == {"service:shop", "service:sessions"}


def test_a_statement_belongs_to_the_only_database_of_its_document() -> None:
    query, base = Fact("sql", "query:select 1", {}, "a.json"), Fact("sql", "database:shop", {}, "a.json")
    other = Fact("sql", "database:other", {}, "a.json")
    assert Inventory.build((query, base)).related("query:select 1") == ("database:shop",)
    assert Inventory.build((query, base, other)).related("query:select 1") == ()


def test_a_store_of_secrets_that_is_sealed_is_the_stores_fault_not_its_clients() -> None:
    sealed = Runbook(
        "sealed",
        "d",
        "credentials.store_sealed",
        "service",
        "s",
        signatures=(Signature("client", "r", 0.8, text="x"),),
    )
    told = said("service:shop", "credentials.store_sealed", "sealed/client")
    of = replace(case(edges=(*EDGES, Edge("shop", "vault"))), knowledge=(sealed,))
    assert sided(of, told).entity == "service:vault"
    assert sided(replace(case(), knowledge=(sealed,)), told).entity == "service:shop"


LOCKS = Runbook("locks", "d", "database.lock_wait", "database", "s")


@pytest.mark.parametrize(
    ("images", "owner"),
    [
        ({"store": "mariadb:11", "shop": "shop:2"}, "container:store"),
        ({"store": "mariadb:11", "other": "library/postgres:16"}, "database:carts"),
        ({"shop": "shop-mysql-client:2"}, "database:carts"),
        ({"store": "mariadb:11", "carts": "carts:1"}, "database:carts"),  # it has a container of its own
    ],
)
def test_a_schema_is_of_the_one_database_server_that_runs_here(images: dict[str, str], owner: str) -> None:
    facts = tuple(Fact("container", f"container:{name}", {"image": image}, "d.json") for name, image in images.items())
    told = said("database:carts", "database.lock_wait", "locks/holder")
    assert sided(replace(case(facts=facts, edges=()), knowledge=(LOCKS,)), told).entity == owner
