"""What one source alone cannot prove: facts and findings of several put together."""

from collections.abc import Iterator
from dataclasses import replace

from analysis.advisory_locks import advisory_holders
from analysis.architectures import other_architectures
from analysis.blocked import blocked_ports
from analysis.blocked_hosts import blocked_hosts
from analysis.captured_routes import captured_routes
from analysis.case import Case
from analysis.default_host import asked_at_loopback
from analysis.descriptor_memory import descriptor_memory
from analysis.early_checks import early_checks
from analysis.fillers import filled, fillers
from analysis.flushed import engine_chains_missing
from analysis.fresh_volumes import fresh_volumes
from analysis.full_tables import full_tables
from analysis.hairpin import hairpins
from analysis.heap import heaps_above_limit
from analysis.holders import port_holders
from analysis.homes import homed
from analysis.idle_limits import idle_limits
from analysis.inherited_checks import inherited_checks
from analysis.joined_fact import JoinedFact
from analysis.labels import foreign_labels
from analysis.last_words import last_words, stated_error
from analysis.localhost_families import localhost_families
from analysis.locks import lock_holders
from analysis.loopback import bound_to_loopback
from analysis.lost_files import lost_files
from analysis.lowered import lowered_limits
from analysis.moved import moved_names
from analysis.out_of_memory import killed_in_reload, workers_by_cores
from analysis.passes_early import passes_early
from analysis.policies import blocked_by_policy
from analysis.pool_modes import pool_modes
from analysis.pools import pools_above_limit
from analysis.renamed import renamed_nodes
from analysis.replaced import replaced
from analysis.resolvers import of_resolver
from analysis.rules import Shot, about, fact_captures, finding, rules
from analysis.search_domains import hijacked_names
from analysis.selectors import selectors_that_miss
from analysis.served import still_served
from analysis.shared_alias import shared_aliases
from analysis.shared_network import lost_networks
from analysis.sides import sided
from analysis.stale import Complaint, stale_addresses, superseded
from analysis.state import StateIndex
from analysis.stopped import of_stopped
from analysis.truncated import truncated_for_clients
from analysis.trusted import untrusted_proxies
from analysis.unheard import refused_beyond_loopback
from analysis.user_limits import user_limits
from analysis.wrong_clocks import wrong_clocks
from domain.entity import name_of
from domain.evidence import Finding


def joined(case: Case) -> Case:
    """The case with the findings that follow from several sources, each finding about the one who is at fault."""
    case = replace(case, findings=tuple(homed(case, each) for each in case.findings))
    stale = [*stale_addresses(case), *moved_names(case)]
    found = tuple(sided(case, each) for each in _judged(case, _distinct(stale)))
    clients = {id(complaint.finding): complaint.client for complaint, _ in stale} if found else {}
    kept = (superseded(each, clients[id(each)]) if id(each) in clients else sided(case, each) for each in case.findings)
    case = replace(case, findings=(*(of_resolver(case, of_stopped(case, each)) for each in kept), *found))
    case = replace(case, findings=(*case.findings, *last_words(case)))
    case = replace(case, findings=(*case.findings, *stated_error(case)))
    fillings = [each for each in found if "filler" in each.captures]
    return replace(case, findings=tuple(filled(replaced(case, each), fillings) for each in case.findings))


def _distinct(stale: list[tuple[Complaint, JoinedFact]]) -> list[JoinedFact]:
    """One fact for each client and address."""
    found: dict[tuple[str, str], JoinedFact] = {}
    for complaint, fact in stale:
        found.setdefault((complaint.client, complaint.address), fact)
    return list(found.values())


def _judged(case: Case, stale: list[JoinedFact]) -> tuple[Finding, ...]:
    told = (
        *stale,
        *blocked_ports(case),
        *bound_to_loopback(case),
        *pools_above_limit(case),
        *lost_networks(case),
        *shared_aliases(case),
        *selectors_that_miss(case),
        *blocked_by_policy(case),
        *still_served(case),
        *untrusted_proxies(case),
        *port_holders(case),
        *hijacked_names(case),
        *lock_holders(case),
        *heaps_above_limit(case),
        *captured_routes(case),
        *localhost_families(case),
        *early_checks(case),
        *blocked_hosts(case),
        *renamed_nodes(case),
        *descriptor_memory(case),
        *asked_at_loopback(case),
        *fillers(case),
        *fresh_volumes(case),
        *idle_limits(case),
        *advisory_holders(case),
        *pool_modes(case),
        *other_architectures(case),
        *lowered_limits(case),
        *workers_by_cores(case),
        *killed_in_reload(case),
        *refused_beyond_loopback(case),
        *truncated_for_clients(case),
        *passes_early(case),
        *hairpins(case),
        *full_tables(case),
        *engine_chains_missing(case),
        *foreign_labels(case),
        *wrong_clocks(case),
        *inherited_checks(case),
        *user_limits(case),
        *lost_files(case),
    )
    return tuple(_findings(case, [each for each in told if each.citations]))


def _findings(case: Case, told: list[JoinedFact]) -> Iterator[Finding]:
    if not told:
        return
    kinds = {each.fact.kind for each in told}
    known = [r for r in rules(case.knowledge, "state") if not r.against and r.signature.state.fact in kinds]  # type: ignore[union-attr]
    fired = {each.signature for each in case.findings}
    tests = StateIndex((rule, rule.signature.state) for rule in known)
    for each in told:
        for rule in tests.satisfied_by(each.fact):
            if rule.id not in fired:  # else a source told the whole fact itself
                of = about(rule, name_of(each.fact.entity) if rule.signature.entity else "", each.fact.entity)
                yield finding(rule, Shot(of, fact_captures(each.fact), each.citations, onset=each.onset))
