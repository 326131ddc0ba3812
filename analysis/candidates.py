"""Candidate causes: findings that speak for the same fault of the same thing, put together."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

from analysis.case import Case
from analysis.machines import machine
from analysis.measured.anomaly import LOCAL_SECONDS
from analysis.measured.fusion import STRENGTH, fuse
from analysis.opinions import own, told_by_model
from analysis.sides import first_needed, serves
from analysis.signatures import UNNAMED_HOST
from domain.entity import kind_of, name_of
from domain.evidence import Finding
from domain.fault import is_fault

# A symptom that no runbook explains is a candidate of last resort: which fault it stands for, and how much of its
# weight counts. A shared factor well under 1 keeps a symptom below any fault that a signature proves.
SYMPTOMS: Final[dict[str, tuple[str, float]]] = {
    "state.not_running": ("process.exited", 0.55),
    "state.restarting": ("process.crash_loop", 0.5),
    "state.unhealthy": ("health.check_failing", 0.5),
    "state.not_ready": ("health.not_ready", 0.5),
    "event.warning": ("kubernetes.warning", 0.4),
    "probe.failed": ("network.unreachable", 0.5),
    "probe.failed.dns": ("dns.resolution_failed", 0.5),
    "probe.failed.certificate": ("tls.certificate_expired", 0.5),
    "log.new": ("application.error", 0.5),
    "log.burst": ("application.error", 0.45),
    "log.error": ("application.error", 0.4),
    "log.gap": ("process.silent", 0.4),
    "metric.anomaly": ("load.anomaly", 0.6),
    "trace.slow": ("dependency.slow", 0.6),
    "trace.failing": ("dependency.failing", 0.6),
    "trace.network_delay": ("network.delay", 0.7),
}


MOST_SUSPECTS: Final = 8
OLD: Final = timedelta(seconds=LOCAL_SECONDS)  # as for series: what was there before "the minutes just before"
LARGE: Final = 1.0  # ten sigmas: what chance and daily rhythm do not reach
CLEAR: Final = 0.5  # half a power of ten between the first and the second suspect
WITNESSES: Final = ("container", "service", "pod", "process")
# Logs of the machine and of those who deploy: they write about what runs there, not about themselves.
WRITERS: Final = re.compile(
    r"(?i)[^:]+:(?:dockerd?|containerd|podman|journal|syslog|messages|kern(?:el)?|dmesg|audit|system|daemon|deploy|ci|"
    r"compose|cron|facts)"
)
HOSTLY: Final = ("host", "network")  # kinds of which a container that complains is only a witness


@dataclass(frozen=True)
class Candidate:
    """One fault of one entity, with the findings that speak for it."""

    entity: str
    fault: str
    findings: tuple[Finding, ...]  # the most telling first
    known: bool  # a runbook defines the fault
    measured: float | None = None  # 0..1, of a suspect of metrics and traces: their ranking has walked the call graph

    @cached_property
    def strength(self) -> float:
        """0..1, noisy-or over distinct signatures: saying the same again adds nothing, and a model adds nothing to what
        the analyst found."""
        if self.measured is not None:
            return self.measured
        best: dict[str, float] = {}
        for finding in own(self.findings):
            key = finding.signature or f"{finding.kind} {finding.statement}"
            best[key] = max(best.get(key, 0.0), finding.weight)
        factor = 1.0 if self.known else SYMPTOMS.get(self.findings[0].kind, ("", 0.6))[1]
        doubt = 1.0
        for weight in sorted(best.values(), reverse=True)[: 6 if self.known else 1]:
            doubt *= 1.0 - min(weight, 0.98)
        return factor * (1.0 - doubt)

    @cached_property
    def names(self) -> frozenset[str]:
        """What a runbook's `explains` may call it: its fault, or the symptom kinds of its findings."""
        return frozenset({self.fault, *(finding.kind for finding in self.findings)})

    @cached_property
    def onset(self) -> datetime | None:
        """When the first of its findings began."""
        return min((f.onset for f in own(self.findings) if f.onset), default=None)

    @cached_property
    def sources(self) -> frozenset[str]:
        """The sources it rests on: two that agree are worth more than one that repeats itself."""
        return frozenset(c.source for f in own(self.findings) for c in f.citations if c.source)


@dataclass(frozen=True)
class Explanation:
    """`cause` explains `symptom`, with how sure that link is (1 known to be connected, 0.5 not known)."""

    cause: Candidate
    symptom: Candidate
    strength: float


def candidates(case: Case) -> tuple[Candidate, ...]:
    """All candidates, strongest first; ties by entity and fault."""
    measured = suspects(case)
    taken = {id(finding) for candidate in measured for finding in candidate.findings}
    groups: dict[str, list[list[Finding]]] = {}
    for finding in case.findings:
        idle = _is_idle_hint(finding, case) or (bool(measured) and _is_old_complaint(finding, case))
        if (fault := fault_of(finding)) and id(finding) not in taken and not idle:
            _join(groups.setdefault(fault, []), finding, case)
    for fault, grouped in groups.items():
        groups[fault] = _on_one_host(grouped) if _kind(fault, case) == "host" else grouped
    found = [each for fault, grouped in groups.items() for each in _distinct(fault, grouped, case)]
    for suspect in measured:
        one = suspect.findings[0]
        alike = [each for each in found if each.fault == suspect.fault and _one(case, each.findings[0], one)]
        found = [each for each in found if each not in alike] + [_with(suspect, alike)]
    return tuple(sorted(found, key=lambda c: (-c.strength, c.fault, c.entity)))


def _with(suspect: Candidate, alike: list[Candidate]) -> Candidate:
    """The suspect together with candidates that say the same of the same thing by a runbook's signature."""
    if not alike:
        return suspect
    strongest = max(suspect.strength, *(each.strength for each in alike))
    findings = (*suspect.findings, *(finding for each in alike for finding in each.findings))
    return replace(suspect, findings=findings, measured=strongest)


def suspects(case: Case) -> list[Candidate]:
    """The suspects of metrics and traces, with what logs began to say: one candidate an entity, in fusion's order."""
    if not any(STRENGTH in finding.captures for finding in case.findings):
        return []
    by_name: dict[str, list[Finding]] = {}
    measured_by_code = [finding for finding in case.findings if not told_by_model(finding)]
    for finding in measured_by_code:
        if STRENGTH in finding.captures or finding.kind == "log.new":
            by_name.setdefault(name_of(finding.entity), []).append(finding)
    ranked = [(name, size) for name, size in fuse(measured_by_code, case.edges) if name in by_name][:MOST_SUSPECTS]
    return [_suspect(by_name[name], measured, case) for (name, _), measured in zip(ranked, _sure(ranked), strict=True)]


def _sure(ranked: list[tuple[str, float]]) -> list[float]:
    """How sure each suspect is: by its own size, and the first by its distance to the second (powers of ten)."""
    sizes = [min(1.0, max(0.0, size) / LARGE) for _, size in ranked]
    gap = ranked[0][1] - ranked[1][1] if len(ranked) > 1 else CLEAR
    first = 0.5 + 0.4 * min(1.0, max(0.0, gap) / CLEAR)
    return [first * sizes[0], *(0.45 * size * 0.9**place for place, size in enumerate(sizes[1:]))]


def _suspect(findings: list[Finding], measured: float, case: Case) -> Candidate:
    ordered = tuple(sorted(findings, key=lambda f: (STRENGTH not in f.captures, -f.weight, -abs(f.score), f.statement)))
    fault = fault_of(ordered[0]) if STRENGTH in ordered[0].captures else "application.exception"
    return Candidate(ordered[0].entity, fault, ordered, fault in case.by_fault, round(measured, 4))


def fault_of(finding: Finding) -> str:
    """The fault a finding speaks for; nothing for one that only informs."""
    if finding.kind in SYMPTOMS:
        return SYMPTOMS[finding.kind][0]
    return finding.kind if is_fault(finding.kind) else ""


def _is_old_complaint(finding: Finding, case: Case) -> bool:
    """Whether a program's own complaints began long before the alert: where metrics and traces measured what changed
    at it, what was already odd did not cause it (design 12.1)."""
    began = finding.onset
    return finding.kind.startswith("application.") and began is not None and case.incident.fired_at - began > OLD


def _is_idle_hint(finding: Finding, case: Case) -> bool:
    """Whether a mere passage suggests a fault whose own signatures were looked for: their silence is the answer."""
    runbook = case.by_fault.get(finding.kind)
    return finding.only_advised and runbook is not None and bool(runbook.signatures)


def _join(groups: list[list[Finding]], finding: Finding, case: Case) -> None:
    """Into the group about the same thing, or about something so near that it is one fault."""
    for group in groups:
        if any(_one(case, finding, other) for other in group):
            group.append(finding)
            return
    groups.append([finding])


def _on_one_host(groups: list[list[Finding]]) -> list[list[Finding]]:
    """What runs and complains of its machine means the only machine of which a source tells the same by name."""
    named = [g for g in groups if any(kind_of(f.entity) == "host" and f.entity != UNNAMED_HOST for f in g)]
    others = [g for g in groups if all(kind_of(f.entity) in WITNESSES for f in g)]
    if len(named) != 1 or not others:
        return groups
    together = [*named[0], *(finding for group in others for finding in group)]
    return [together, *(g for g in groups if g is not named[0] and g not in others)]


def _kind(fault: str, case: Case) -> str:
    return runbook.entity if (runbook := case.by_fault.get(fault)) else ""


def _one(case: Case, one: Finding, other: Finding) -> bool:
    a, b = one.entity, other.entity
    same = a == b or case.inventory.same(a, b) or b in case.inventory.related(a)
    return same or serves(case, one.kind, a, b)


def _distinct(fault: str, groups: list[list[Finding]], case: Case) -> list[Candidate]:
    """A candidate a group; groups that turn out to be about one entity are one."""
    merged: dict[str, list[Finding]] = {}
    for group in groups:
        merged.setdefault(_candidate(fault, group, case).entity, []).extend(group)
    return [replace(_candidate(fault, group, case), entity=entity) for entity, group in merged.items()]


def _candidate(fault: str, group: list[Finding], case: Case) -> Candidate:
    ordered = tuple(sorted(group, key=_telling))
    runbook = case.by_fault.get(fault)
    entity = _entity(ordered, fault, runbook.entity if runbook else "", case)
    return Candidate(entity, fault, ordered, runbook is not None)


def _telling(finding: Finding) -> tuple[object, ...]:
    """The order of a candidate's findings: what a model told stands last."""
    return (
        told_by_model(finding), -finding.weight, -finding.score, finding.onset is None, finding.onset or 0,
        finding.statement,
    )  # fmt: skip


def _entity(findings: Iterable[Finding], fault: str, kind: str, case: Case) -> str:
    """The entity of the kind at fault: of a finding, or near one, or what alerted; else of the most telling finding.

    What a machine's own captures say of a machine without a name is about the machine, or the thing, that alerted.
    """
    named = first_needed(case, fault, list(dict.fromkeys(finding.entity for finding in findings)))
    told = [entity for entity in named if entity != UNNAMED_HOST]
    around = [other for entity in told for other in case.inventory.related(entity)]
    # A fault of the host or its network shows in what runs there; which host it is, the alert knows.
    asked = _asked(case) if kind in HOSTLY or not told else ()
    if kind not in HOSTLY and told and all(WRITERS.fullmatch(entity) for entity in told):
        asked = _asked(case)
        told = [entity for entity in asked if kind_of(entity) != "host"][:1]
    fitting = (entity for entity in (*told, *around, *asked) if kind_of(entity) == kind)
    hosts = (entity for entity in (*told, *asked) if kind_of(entity) == "host")
    return next(fitting, None) or next(hosts, next(iter((*told, *asked, *named))))


def _asked(case: Case) -> tuple[str, ...]:
    """What alerted; of machines those that live sources look at, the nearest when the alert names none."""
    if not case.incident.seen:
        return case.alerted
    known = (of for of in case.alerted if kind_of(of) != "host" or machine(name_of(of), case.incident.seen))
    return (*known, f"host:{case.incident.seen[0][0]}")
