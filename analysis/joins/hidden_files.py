"""A mount over the folder of a program that misses what its image brings there."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "mount hides"
_MISSES: Final = "config-mount-hides/missing"
_PROGRAMS: Final = re.compile(
    r"/(?:app|code|workspace|usr/src/\w+|srv/\w+|opt/\w+|home/node/app|var/www/(?:html|\w+))(?:/(?:node_modules|vendor))?"
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that misses a module and has a mount over its program's folder."""
    told: set[str] = set()
    for missing in case.findings:
        if missing.signature != _MISSES or missing.entity in told:
            continue
        for at, fact in enumerate(case.facts):
            folder = _over_program(fact)
            if folder and case.inventory.same(fact.entity, missing.entity) and missing.entity not in told:
                told.add(missing.entity)
                words = f"a mount lies over {folder} and hides what the image brings there"
                attributes = {"name": NAME, "text": words, "value": folder}
                cited = (*missing.citations[:1], *case.cite(at, "mounts"))
                yield JoinedFact(Fact("note", missing.entity, dict(attributes)), cited, missing.onset)


def _over_program(fact: Fact) -> str:
    """The folder of a program that a mount covers: `source:destination[:mode]`."""
    if fact.kind != "container":
        return ""
    parts = (mount.split(":") for mount in texts(fact.attributes, "mounts"))
    return next((each[1] for each in parts if len(each) > 1 and _PROGRAMS.fullmatch(each[1])), "")
