"""What root_cause knows of an incident: all that the reasoning works on."""

import re
from dataclasses import dataclass
from functools import cached_property

from analysis.inventory import Inventory
from domain.alert import Incident
from domain.entity import name_of
from domain.evidence import Citation, Coverage, Finding, Gap
from domain.facts import Fact
from domain.results import Change, Edge, Passage
from domain.runbook import Runbook


@dataclass(frozen=True)
class Case:
    """One incident with everything that was found about it. Pure data; the same case gives the same diagnosis."""

    incident: Incident
    alerted: tuple[str, ...]  # entities the alerts are about, best first
    findings: tuple[Finding, ...]
    facts: tuple[Fact, ...]
    changes: tuple[Change, ...]
    inventory: Inventory
    knowledge: tuple[Runbook, ...]
    edges: tuple[Edge, ...] = ()  # who calls whom, as metrics and traces name them
    passages: tuple[Passage, ...] = ()
    gaps: tuple[Gap, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    about: tuple[tuple[str, ...], ...] = ()  # of each alert what it names, best first; empty: what `alerted` has
    on: tuple[tuple[str, ...], ...] = ()  # of each alert the machines that it says it is about
    places: tuple[str, ...] = ()  # of each fact where it stands: `<call id>/facts/<n>`; "" or missing where not known

    @cached_property
    def by_fault(self) -> dict[str, Runbook]:
        """The runbook of each fault."""
        return {runbook.fault: runbook for runbook in self.knowledge}

    @cached_property
    def alert_names(self) -> tuple[str, ...]:
        """What the alerts are called."""
        return tuple(dict.fromkeys(alert.name for alert in self.incident.alerts))

    def names_of(self, at: int) -> tuple[str, ...]:
        """What the alert at this place names, best first."""
        return self.about[at] if at < len(self.about) else self.alerted

    @cached_property
    def names_found(self) -> frozenset[str]:
        """The names, in lower case, of all that findings are about; a mere passage is about what the alert names."""
        seen = (finding for finding in self.findings if not finding.only_advised)
        return frozenset(name_of(finding.entity).lower() for finding in seen)

    def cite(self, at: int, *attributes: str) -> tuple[Citation, ...]:
        """Where the fact at this place is told: its raw line, else these attributes by path; nothing if not known."""
        fact = self.facts[at]
        call_id, _, path = (self.places[at] if at < len(self.places) else "").partition("/")
        if not call_id:
            return ()
        if fact.quote and fact.line is not None:
            return (Citation(call_id, fact.source, fact.line, fact.quote),)
        told = [name for name in attributes if name in fact.attributes]
        return tuple(
            Citation(call_id, fact.source, path=f"/{path}/attributes/{name}", value=fact.attributes[name])
            for name in told
        )

    def quoted(self, words: re.Pattern[str]) -> Citation | None:
        """The first line that a finding cites and that has these words."""
        cited = (citation for finding in self.findings for citation in finding.citations)
        return next((citation for citation in cited if words.search(citation.quote or "")), None)

    def near_alert(self, entity: str) -> float:
        """How near the entity is to what the alert is about: 1 the same, 0.8 needed by it, 0.4 unknown."""
        if not self.alerted:
            return 0.5
        if any(self.inventory.same(entity, alerted) for alerted in self.alerted):
            return 1.0
        if any(self.inventory.depends(alerted, entity) for alerted in self.alerted):
            return 0.8
        if any(self.inventory.depends(entity, alerted) for alerted in self.alerted):
            return 0.5
        return 0.4
