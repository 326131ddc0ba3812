"""Who is meant by complaints about something that is simply not running: its name, or its address."""

import re
from dataclasses import replace
from typing import Final

from analysis.case import Case
from domain.entity import kind_of, name_of
from domain.evidence import Finding
from domain.fault import family_of

DOWN: Final = ("state.restarting", "state.not_running")
_HINT: Final = 0.4  # "it cannot be reached" tells that it is down, not why
_ADDRESS: Final = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}:(\d+)")
ENGINE_RESOLVER: Final = "127.0.0.11"  # in each container of a network that a person made
_LOOKUP: Final = re.compile(r"\blookup (\S+) on \S+: server misbehaving")
_URL: Final = r"https?://([A-Za-z][\w.-]*):%s\b"


def of_stopped(case: Case, finding: Finding) -> Finding:
    """The finding about the container that does not run, where that is whom it complains about."""
    if finding.kind == "dns.resolution_failed":
        return _unresolved(case, finding)
    if finding.kind == "dns.resolver_down" and name_of(finding.entity) == ENGINE_RESOLVER:
        return _unanswered(case, finding)
    if family_of(finding.kind) in ("dependency", "proxy") and (port := _ADDRESS.fullmatch(name_of(finding.entity))):
        return _unnamed(case, finding, port[1])
    return finding


def _unresolved(case: Case, finding: Finding) -> Finding:
    """An engine answers "no such host" for a container that is down: then it is down, and DNS is well."""
    host = finding.captures.get("host", "").rstrip(".")
    of = case.inventory.resolve(host, "container") if host else None
    if of is None or not _is_down(case, of):
        return finding
    return _as_down(finding, of)


def _unanswered(case: Case, finding: Finding) -> Finding:
    """The engine's resolver fails only for names of containers that are down: it passes them on, and nobody knows them.

    One name of something else or of what runs, and it is the resolver.
    """
    asked = {name.rstrip(".") for cited in finding.citations for name in _LOOKUP.findall(cited.quote or "")}
    down = [case.inventory.resolve(name, "container") for name in sorted(asked)]
    if not down or any(of is None or not _is_down(case, of) for of in down):
        return finding
    return _as_down(finding, down[0] or "")


def _as_down(finding: Finding, of: str) -> Finding:
    said = f"{name_of(of)} cannot be reached by its name, since it is not running"
    return replace(
        finding,
        entity=of,
        kind="dependency.unavailable",
        statement=said,
        weight=min(finding.weight, _HINT),
        signature="",
    )


def _unnamed(case: Case, finding: Finding, port: str) -> Finding:
    """An address that nobody is known to have: the name in the same line, or the only thing that is down."""
    if case.inventory.resolve(name_of(finding.entity)):
        return finding
    named = re.compile(_URL % port)
    for cited in finding.citations:
        if (found := named.search(cited.quote or "")) and (of := case.inventory.resolve(found[1])):
            return replace(finding, entity=of)
    down = dict.fromkeys(f.entity for f in case.findings if f.kind in DOWN and kind_of(f.entity) == "container")
    return replace(finding, entity=next(iter(down))) if len(down) == 1 else finding


def _is_down(case: Case, of: str) -> bool:
    return any(f.kind in DOWN and case.inventory.same(f.entity, of) for f in case.findings)
