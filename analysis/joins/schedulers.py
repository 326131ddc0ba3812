"""Two schedulers that both send the same job."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "two schedulers"
_SENDS: Final = "host-duplicate-scheduler/sends"
_BUILT_IN: Final = "celery."  # celery.backend_cleanup is a job of every program's scheduler


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each two programs that say that they send one job."""
    first: dict[str, Finding] = {}
    told: set[str] = set()
    for sends in case.findings:
        job = sends.captures.get("job", "")
        if sends.signature != _SENDS or not job or job.startswith(_BUILT_IN):
            continue
        other = first.setdefault(job, sends)
        if other is sends or case.inventory.same(other.entity, sends.entity) or job in told:
            continue
        told.add(job)
        words = f"{name_of(other.entity)} and {name_of(sends.entity)} both send {job}"
        cited = (*other.citations[:1], *sends.citations[:1])
        yield JoinedFact(Fact("note", sends.entity, {"name": NAME, "text": words}), cited, sends.onset)
