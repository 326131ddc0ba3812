"""Containers that may do less than their program needs: capabilities that were dropped."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.evidence import Citation
from domain.facts import Fact

NAME: Final = "capabilities dropped"
_REFUSED: Final = re.compile(
    r"(?i)operation not permitted|failed \(1: |EPERM\b|cannot (?:set|change) (?:uid|gid|groups)|Failed to lock memory"
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that dropped all or some capabilities and says that something is not permitted."""
    for at, fact in enumerate(case.facts):
        held = tuple(texts(fact.attributes, "security")) if fact.kind == "container" else ()
        dropped = [each.partition("=")[2] for each in held if each.startswith("cap_drop=")]
        said = _refused(case, fact) if dropped else None
        if said is not None:
            added = [each.partition("=")[2] for each in held if each.startswith("cap_add=")]
            kept = f", and added {', '.join(added)} only" if added else ""
            text = f"the container dropped the capabilities {', '.join(dropped)}{kept}"
            note = Fact("note", fact.entity, {"name": NAME, "text": text, "value": ", ".join(dropped)})
            yield JoinedFact(note, (said, *case.cite(at, "security")))


def _refused(case: Case, container: Fact) -> Citation | None:
    for finding in case.findings:
        if case.inventory.same(finding.entity, container.entity):
            for citation in finding.citations:
                if _REFUSED.search(citation.quote or ""):
                    return citation
    return None
