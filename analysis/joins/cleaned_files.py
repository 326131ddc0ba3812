"""Something under a temporary directory that is gone since the clean-up of temporary files ran."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "temporary files cleaned"
_TIMER: Final = re.compile(r"systemd-tmpfiles(?:-clean)?\b|Cleanup of Temporary Directories")
_GONE: Final = re.compile(r"(?i)no such file or directory|total 0\b|ENOENT|could not find any running process")


def joined(case: Case) -> Iterator[JoinedFact]:
    """The clean-up ran, and something under a temporary directory is gone that was there."""
    ran = next((at for at, fact in enumerate(case.facts) if _TIMER.search(_words(fact))), None)
    said = case.quoted(_GONE)
    of = case.facts[ran].entity if ran is not None else ""
    gone = next((at for at, fact in enumerate(case.facts) if _is_gone(fact) and _may_be_of(fact, of)), None)
    if ran is not None and gone is not None and said is not None:
        words = f"{_words(case.facts[gone]).partition(' | ')[0]}: gone, and the clean-up of temporary files ran before"
        cited = (said, *case.cite(gone, "text", "exists", "path"), *case.cite(ran, "text"))
        yield JoinedFact(Fact("note", case.facts[ran].entity, {"name": NAME, "text": words}), cited)


def _words(fact: Fact) -> str:
    told = fact.attributes
    return " | ".join(str(told[name]) for name in ("path", "command", "text") if told.get(name))


def _is_gone(fact: Fact) -> bool:
    told, words = fact.attributes, _words(fact)
    missing = fact.kind == "file" and told.get("exists") is False
    empty = fact.kind == "reading" and str(told.get("text")).strip() == "total 0"
    return (missing or empty) and bool(re.search(r"(?:^|\s)/(?:var/)?tmp/", words))


def _may_be_of(fact: Fact, of: str) -> bool:
    """Whether the fact is not of another machine than this one."""
    return fact.entity == of or not fact.entity.startswith("host:")
