"""Programs built for another processor: what the image is, what the machine is, and that the kernel refused it."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import kind_of
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "other_architecture"
_FAULT: Final = "runtime.exec_format"
_WORDS: Final = {
    "amd64": "x86[-_]64", "arm64": "aarch64|arm64/v8|armv8.*", "arm": "armhf|armel|armv?[5-7].*", "386": "i[3-6]86",
}  # fmt: skip


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each thing whose program the kernel refused, where its image and the machine are seen to differ."""
    machine = next((at for at, fact in enumerate(case.facts) if kind_of(fact.entity) == "host" and _cpu(fact)), None)
    told: set[str] = set()
    for finding in case.findings:
        if finding.kind != _FAULT or finding.entity in told or machine is None:
            continue
        for at in _images(case, finding):
            if _one(case.facts[at]) != _one(case.facts[machine]):
                told.add(finding.entity)
                yield _joined(case, finding, at, machine)
                break


def _images(case: Case, finding: Finding) -> Iterator[int]:
    """Places of what is told of the image that the thing runs."""
    runs = {
        each
        for fact in case.facts
        if fact.kind == "container" and case.inventory.same(fact.entity, finding.entity)
        for name in ("image", "image_id")
        for each in texts(fact.attributes, name)
    }
    for at, fact in enumerate(case.facts):
        if fact.kind == "image" and fact.attributes.get("architecture"):
            name, tag, digest = (str(fact.attributes.get(each) or "") for each in ("name", "tag", "digest"))
            if runs.intersection((name, f"{name}:{tag}", digest)):
                yield at


def _cpu(fact: Fact) -> bool:
    return fact.kind == "cpu" and bool(fact.attributes.get("architecture"))


def _one(fact: Fact) -> str:
    """The architecture under the name that images use."""
    told = str(fact.attributes["architecture"]).lower()
    return next((name for name, words in _WORDS.items() if re.fullmatch(words, told)), told)


def _joined(case: Case, finding: Finding, image: int, machine: int) -> JoinedFact:
    built, runs = (str(case.facts[at].attributes["architecture"]) for at in (image, machine))
    fact = Fact("note", finding.entity, {"name": NAME, "text": f"the image is built for {built}, the host is {runs}"})
    cited = (*case.cite(image, "architecture"), *case.cite(machine, "architecture"), *finding.citations[:1])
    return JoinedFact(fact, cited, finding.onset)
