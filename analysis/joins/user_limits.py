"""A limit of processes that counts all of a user's, in every container: who is refused may itself run few."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import kind_of
from domain.evidence import Citation
from domain.facts import Attribute, Fact

NAME: Final = "user_process_limit"
_REFUSED: Final = "process.pid_limit"
_LIMITS: Final = ("max user processes", "max processes", "nproc", "limitnproc")
_FULL: Final = 0.95  # of the limit, counted at a moment near the refusal
_FEW: Final = 0.5  # of the limit: from here down a container's own processes are not what fills it


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each limit that the processes of one user, or of all containers together, have reached."""
    if not any(finding.kind == _REFUSED for finding in case.findings):
        return
    told: set[str] = set()
    for at, fact in enumerate(case.facts):
        limit = _limit(fact)
        filled = (_of_user(case, limit) or _of_containers(case, fact.entity, limit)) if limit else None
        if filled is not None and fact.entity not in told:
            told.add(fact.entity)
            text, cited = filled
            more: dict[str, Attribute] = {"name": NAME, "text": text, "value": limit}
            yield JoinedFact(Fact("note", fact.entity, more), (*case.cite(at, "soft"), *cited))


def _limit(fact: Fact) -> int:
    soft, name = fact.attributes.get("soft"), str(fact.attributes.get("name") or "").lower()
    return soft if fact.kind == "limit" and name in _LIMITS and isinstance(soft, int) and soft > 0 else 0


def _of_user(case: Case, limit: int) -> tuple[str, tuple[Citation, ...]] | None:
    """The user who has as many as the limit allows."""
    for at, fact in enumerate(case.facts):
        count, user = fact.attributes.get("count"), fact.attributes.get("user")
        if fact.kind == "process" and user and isinstance(count, int) and count >= _FULL * limit:
            return f"{count} of uid {user}", case.cite(at, "count")
    return None


def _of_containers(case: Case, of: str, limit: int) -> tuple[str, tuple[Citation, ...]] | None:
    """All containers' processes, where the refused one has few and together they reach the limit."""
    counts: dict[str, tuple[int, int]] = {}
    for at, fact in enumerate(case.facts):
        pids = fact.attributes.get("pids")
        if fact.kind == "container" and kind_of(fact.entity) == "container" and isinstance(pids, int):
            counts.setdefault(fact.entity, (pids, at))
    own = next((pids for entity, (pids, _) in counts.items() if case.inventory.same(entity, of)), limit)
    total = sum(pids for pids, _ in counts.values())
    if own > _FEW * limit or total < _FULL * limit:
        return None
    largest = max(counts.values())[1]
    return f"{total} in {len(counts)} containers", case.cite(largest, "pids")
