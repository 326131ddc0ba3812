"""Whose log it is: a service that an alert names by a short name, and the container whose log says something."""

from dataclasses import replace

from analysis.case import Case
from domain.entity import kind_of, name_of
from domain.evidence import Finding


def homed(case: Case, finding: Finding) -> Finding:
    """The finding about the container whose log alone it rests on, where it is about a service nobody has seen."""
    name = name_of(finding.entity)
    unseen = kind_of(finding.entity) == "service" and case.inventory.resolve(name) in (None, finding.entity)
    sources = {each.source for each in finding.citations}
    if not unseen or len(sources) != 1 or not (source := next(iter(sources))).startswith("logs/"):
        return finding
    owner = case.inventory.owner(source)
    longer = kind_of(owner) == "container" and name_of(owner).startswith((f"{name}-", f"{name}_"))
    return replace(finding, entity=owner) if longer else finding
