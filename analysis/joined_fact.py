"""A fact that no source tells alone, with the citations of those it is joined from."""

from dataclasses import dataclass
from datetime import datetime

from domain.evidence import Citation
from domain.facts import Fact


@dataclass(frozen=True)
class JoinedFact:
    """What follows from several facts or findings; runbooks' state signatures judge it as any other."""

    fact: Fact
    citations: tuple[Citation, ...]
    onset: datetime | None = None
