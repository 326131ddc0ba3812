"""What the machine has and its engine or container has not: a proxy, and the file that a mount once was of."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

PROXY: Final = "engine without proxy"
REPLACED: Final = "mounted file replaced"
_VARIABLE: Final = re.compile(r"(?im)^https?_proxy=\S+")
_EMPTY: Final = re.compile(r"^Environment=\s*$")
_PULL: Final = re.compile(
    r"(?i)(?:registry|docker\.io|ghcr\.io|quay\.io|/v2/).{0,160}"
    r"(?:request canceled|Client\.Timeout exceeded|i/o timeout|no route to host|connection refused|no such host|"
    r"context deadline exceeded)"
)
_EACH_HAS: Final = ("hosts", "hostname", "resolv.conf", "passwd", "group", "shadow", "mtab", "os-release", "fstab")
_COMPARED: Final = re.compile(r"\b(?:stat -c '?%i'?|ls -i|md5sum|sha\d+sum|cksum)\s.*?(?P<name>[\w.-]+)\s*$")


def joined(case: Case) -> Iterator[JoinedFact]:
    """A proxy that only the shell has, and a file that differs between machine and container."""
    yield from _proxy(case)
    yield from _replaced(case)


def _proxy(case: Case) -> Iterator[JoinedFact]:
    shell = next((at for at, fact in enumerate(case.facts) if _has_proxy(fact)), None)
    asked = case.facts[shell].entity if shell is not None else ""
    unit = next((at for at, fact in enumerate(case.facts) if _is_empty(fact) and fact.entity == asked), None)
    quoted = (citation for finding in case.findings for citation in finding.citations)
    pull = next((citation for citation in quoted if _PULL.search(citation.quote or "")), None)
    if shell is not None and unit is not None and pull is not None:
        text = "the shell has a proxy, the environment of the engine's unit is empty, and a pull times out"
        cited = (pull, *case.cite(unit, "text", "value"), *case.cite(shell, "text", "value"))
        yield JoinedFact(Fact("note", case.facts[unit].entity, {"name": PROXY, "text": text}), cited)


def _has_proxy(fact: Fact) -> bool:
    told = fact.attributes
    named = str(told.get("name") or "").lower() in ("https_proxy", "http_proxy") and bool(told.get("value"))
    host = fact.entity.startswith("host:")
    return host and ((fact.kind == "setting" and named) or bool(_VARIABLE.search(str(told.get("text") or ""))))


def _is_empty(fact: Fact) -> bool:
    told = fact.attributes
    asked = re.search(r"systemctl show (?:docker|containerd)\S* .*Environment", str(told.get("command") or ""))
    return bool(asked) and bool(_EMPTY.match(str(told.get("text") or "").strip() or "Environment="))


def _replaced(case: Case) -> Iterator[JoinedFact]:
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
                note = Fact("note", inside.entity, {"name": REPLACED, "text": text, "value": name[1]})
                yield JoinedFact(note, (*case.cite(place, "text"), *case.cite(at, "text")))
                return


def _compared(fact: Fact) -> tuple[str, str] | None:
    """What was compared, and of which file."""
    match = _COMPARED.search(str(fact.attributes.get("command") or "")) if fact.kind == "reading" else None
    return (match[0].partition(" ")[0], match["name"]) if match else None


def _answer(fact: Fact) -> str:
    return next(iter(str(fact.attributes.get("text") or fact.attributes.get("value") or "").split()), "")
