"""A proxy that the shell has and the engine has not, whose pulls time out."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "engine without proxy"
_VARIABLE: Final = re.compile(r"(?im)^https?_proxy=\S+")
_EMPTY: Final = re.compile(r"^Environment=\s*$")
_PULL: Final = re.compile(
    r"(?i)(?:registry|docker\.io|ghcr\.io|quay\.io|/v2/).{0,160}"
    r"(?:request canceled|Client\.Timeout exceeded|i/o timeout|no route to host|connection refused|no such host|"
    r"context deadline exceeded)"
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for the engine whose unit has an empty environment on a machine whose shell has a proxy."""
    shell = next((at for at, fact in enumerate(case.facts) if _has_proxy(fact)), None)
    asked = case.facts[shell].entity if shell is not None else ""
    unit = next((at for at, fact in enumerate(case.facts) if _is_empty(fact) and fact.entity == asked), None)
    pull = case.quoted(_PULL)
    if shell is not None and unit is not None and pull is not None:
        text = "the shell has a proxy, the environment of the engine's unit is empty, and a pull times out"
        cited = (pull, *case.cite(unit, "text", "value"), *case.cite(shell, "text", "value"))
        yield JoinedFact(Fact("note", case.facts[unit].entity, {"name": NAME, "text": text}), cited)


def _has_proxy(fact: Fact) -> bool:
    told = fact.attributes
    named = str(told.get("name") or "").lower() in ("https_proxy", "http_proxy") and bool(told.get("value"))
    host = fact.entity.startswith("host:")
    return host and ((fact.kind == "setting" and named) or bool(_VARIABLE.search(str(told.get("text") or ""))))


def _is_empty(fact: Fact) -> bool:
    told = fact.attributes
    asked = re.search(r"systemctl show (?:docker|containerd)\S* .*Environment", str(told.get("command") or ""))
    return bool(asked) and bool(_EMPTY.match(str(told.get("text") or "").strip() or "Environment="))
