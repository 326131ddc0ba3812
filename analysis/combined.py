"""What one source alone cannot prove: facts and findings of several put together."""

from collections.abc import Iterator
from dataclasses import replace

from analysis import joins
from analysis.canaries import convicted
from analysis.case import Case
from analysis.homes import homed
from analysis.joined_fact import JoinedFact
from analysis.joins.fillers import filled
from analysis.last_words import last_words, stated_error
from analysis.moved import moved_names
from analysis.replaced import replaced
from analysis.resolvers import of_resolver
from analysis.rules import Shot, about, fact_captures, finding, rules
from analysis.sides import sided
from analysis.stale import Complaint, stale_addresses, superseded
from analysis.state import StateIndex
from analysis.stopped import of_stopped
from domain.entity import name_of
from domain.evidence import Finding


def combined(case: Case) -> Case:
    """The case with the findings that follow from several sources, each finding about the one who is at fault."""
    case = convicted(replace(case, findings=tuple(homed(case, each) for each in case.findings)))
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
    told = (*stale, *joins.told(case))
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
