"""A limit of open files that was lowered: the engine that starts the container was upgraded to one that sets none."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "limit_lowered"
_FAULT: Final = "process.descriptors_exhausted"
_ENGINE: Final = re.compile(r"(?:containerd(?:\.io)?|docker-ce|docker\.io|moby-(?:engine|containerd)|cri-o|podman)")
_FILES: Final = re.compile(r"(?i)open.?files|nofile")
_KERNELS_OWN: Final = 4096  # up to here it is what a process gets to which nobody gives a limit
_MAJOR: Final = re.compile(r"(?:\d+:)?(\d+)")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each thing out of descriptors at a default limit, after its engine's first number changed."""
    upgrades = [(at, fact) for at, fact in enumerate(case.facts) if _changed(fact)]
    # Whose unit starts the containers' processes comes first.
    upgrades.sort(key=lambda each: not str(each[1].attributes["name"]).startswith(("containerd", "moby-containerd")))
    upgrade = upgrades[0][0] if upgrades else None
    told: set[str] = set()
    for finding in case.findings:
        if finding.kind != _FAULT or finding.entity in told or upgrade is None:
            continue
        if (limit := _limit(case, finding)) is not None:
            told.add(finding.entity)
            yield _joined(case, finding, limit, upgrade)


def _changed(fact: Fact) -> bool:
    old, new = (_MAJOR.match(str(fact.attributes.get(name) or "")) for name in ("previous", "version"))
    engine = fact.kind == "package" and _ENGINE.fullmatch(str(fact.attributes.get("name")))
    return bool(engine and old and new and int(old[1]) < int(new[1]))


def _limit(case: Case, finding: Finding) -> int | None:
    """The place of the thing's own limit, where it is no larger than a default."""
    for at, fact in enumerate(case.facts):
        soft = fact.attributes.get("soft")
        default = isinstance(soft, int) and soft <= _KERNELS_OWN and _FILES.search(str(fact.attributes.get("name")))
        if fact.kind == "limit" and default and case.inventory.same(fact.entity, finding.entity):
            return at
    return None


def _joined(case: Case, finding: Finding, limit: int, upgrade: int) -> JoinedFact:
    changed, soft = case.facts[upgrade].attributes, case.facts[limit].attributes["soft"]
    versions = " to ".join(str(changed[name]).partition("-")[0] for name in ("previous", "version"))
    words = f"the upgrade of {changed['name']} from {versions}, which leaves the default of {soft}"
    fact = Fact("note", finding.entity, {"name": NAME, "text": words})
    return JoinedFact(fact, (*case.cite(upgrade, "version"), *case.cite(limit, "soft"), *finding.citations[:1]))
