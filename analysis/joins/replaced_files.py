"""A mounted file that was replaced on the machine: the container still holds the one that was there before."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "mounted file replaced"
_EACH_HAS: Final = ("hosts", "hostname", "resolv.conf", "passwd", "group", "shadow", "mtab", "os-release", "fstab")
_COMPARED: Final = re.compile(r"\b(?:stat -c '?%i'?|ls -i|md5sum|sha\d+sum|cksum)\s.*?(?P<name>[\w.-]+)\s*$")


def joined(case: Case) -> Iterator[JoinedFact]:
    """The same name, inode or checksum asked on the machine and in the container, with two answers."""
    readings = [(at, fact, name) for at, fact in enumerate(case.facts) if (name := _compared(fact))]
    for at, inside, name in readings:
        for place, outside, other in readings:
            answers = _answer(inside), _answer(outside)
            differ = all(answers) and answers[0] != answers[1] and name[1] not in _EACH_HAS
            if (
                inside.entity.startswith("container:")
                and outside.entity.startswith("host:")
                and name == other
                and differ
            ):
                text = f"{name[1]} is another file on the machine than in the container"
                note = Fact("note", inside.entity, {"name": NAME, "text": text, "value": name[1]})
                yield JoinedFact(note, (*case.cite(place, "text"), *case.cite(at, "text")))
                return


def _compared(fact: Fact) -> tuple[str, str] | None:
    """What was compared, and of which file."""
    match = _COMPARED.search(str(fact.attributes.get("command") or "")) if fact.kind == "reading" else None
    return (match[0].partition(" ")[0], match["name"]) if match else None


def _answer(fact: Fact) -> str:
    return next(iter(str(fact.attributes.get("text") or fact.attributes.get("value") or "").split()), "")
