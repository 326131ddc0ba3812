"""Two lines of a machine that together prove what neither does alone."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.evidence import Citation
from domain.facts import Fact

LEAF: Final = "chain of one"
ADVERTISED: Final = "router advertisements ignored"
CLEANED: Final = "temporary files cleaned"
RENAMED: Final = "container renamed"
_DEPTH: Final = re.compile(r"^\s*(\d) s:", re.MULTILINE)
_ISSUED: Final = re.compile(r"^\s*0 s:(?P<subject>.*)\n\s*i:(?P<issuer>.*)", re.MULTILINE)
_UNVERIFIED: Final = re.compile(
    r"(?i)unable to verify the (?:first|leaf)|UNABLE_TO_VERIFY_LEAF|return code: 21\b|unable to get local issuer"
)
_ACCEPT: Final = re.compile(r"net\.ipv6\.conf\.(?P<device>[\w-]+)\.accept_ra")
_ROUTER: Final = re.compile(r"net\.ipv6\.conf\.(?:all|default|[\w-]+)\.forwarding")
_EXPIRED: Final = re.compile(r"(?i)ip -6 route(?: show)?(?: default)?$")
_TIMER: Final = re.compile(r"systemd-tmpfiles(?:-clean)?\b|Cleanup of Temporary Directories")
_GONE: Final = re.compile(r"(?i)no such file or directory|total 0\b|ENOENT|could not find any running process")
_OLD_NAME: Final = re.compile(r"No such (?:container|object): (?P<name>[a-z0-9-]+_[a-z0-9-]+_\d+)\b")


def joined(case: Case) -> Iterator[JoinedFact]:
    """What each of the small proofs finds."""
    for proof in _PROOFS:
        yield from proof(case)


def _leaf(case: Case) -> Iterator[JoinedFact]:
    """A chain of one certificate, that is not its own issuer, from a server that clients cannot verify."""
    unverified = _quoted(case, _UNVERIFIED)
    for at, fact in enumerate(case.facts):
        text = str(fact.attributes.get("text") or "") if fact.kind == "reading" else ""
        issued = _ISSUED.search(text)
        alone = issued and _DEPTH.findall(text) == ["0"] and issued["subject"].strip() != issued["issuer"].strip()
        if issued and alone and (unverified is not None or _UNVERIFIED.search(text)):
            words = f"the server sends one certificate alone, issued by {issued['issuer'].strip()}"
            cited = (*case.cite(at, "text"), *(() if unverified is None else (unverified,)))
            yield JoinedFact(Fact("note", _server(fact), {"name": LEAF, "text": words}), cited)
            return


def _server(fact: Fact) -> str:
    match = re.search(r"-(?:connect|servername) ([\w.-]+)", str(fact.attributes.get("command") or ""))
    return f"certificate:{match[1]}" if match else fact.entity


def _advertised(case: Case) -> Iterator[JoinedFact]:
    """Forwarding on and accept_ra 1 of one device, and no default route."""
    accepts = _setting(case, _ACCEPT, ("1", "0"))
    of = case.facts[accepts].entity if accepts is not None else ""
    routes = _setting(case, _ROUTER, ("1",), of)
    lost = next((at for at, fact in enumerate(case.facts) if _is_lost(fact)), None)
    said = _quoted(case, re.compile(r"(?i)IPv6: .*default route expired|\[[0-9a-f:]+\].*Network is unreachable"))
    if accepts is not None and routes is not None and (lost is not None or said is not None):
        words = "IPv6 forwarding is on and accept_ra is 1, so router advertisements are ignored"
        cited = (*case.cite(accepts, "value"), *case.cite(routes, "value"), *(() if said is None else (said,)))
        yield JoinedFact(Fact("note", case.facts[accepts].entity, {"name": ADVERTISED, "text": words}), cited)


def _is_lost(fact: Fact) -> bool:
    asked = fact.kind == "reading" and _EXPIRED.search(str(fact.attributes.get("command") or ""))
    return bool(asked) and not str(fact.attributes.get("text") or "").strip()


def _cleaned(case: Case) -> Iterator[JoinedFact]:
    """The clean-up ran, and something under a temporary directory is gone that was there."""
    ran = next((at for at, fact in enumerate(case.facts) if _TIMER.search(_words(fact))), None)
    said = _quoted(case, _GONE)
    gone = next((at for at, fact in enumerate(case.facts) if _is_gone(fact)), None)
    if ran is not None and gone is not None and said is not None:
        words = f"{_words(case.facts[gone]).partition(' | ')[0]}: gone, and the clean-up of temporary files ran before"
        cited = (said, *case.cite(gone, "text", "exists", "path"), *case.cite(ran, "text"))
        yield JoinedFact(Fact("note", case.facts[ran].entity, {"name": CLEANED, "text": words}), cited)


def _words(fact: Fact) -> str:
    told = fact.attributes
    return " | ".join(str(told[name]) for name in ("path", "command", "text") if told.get(name))


def _is_gone(fact: Fact) -> bool:
    told, words = fact.attributes, _words(fact)
    missing = fact.kind == "file" and told.get("exists") is False
    empty = fact.kind == "reading" and str(told.get("text")).strip() == "total 0"
    return (missing or empty) and bool(re.search(r"(?:^|\s)/(?:var/)?tmp/", words))


def _renamed(case: Case) -> Iterator[JoinedFact]:
    """A name with underscores that nobody has, and a container with hyphens in their place."""
    for finding in case.findings:
        for citation in finding.citations:
            match = _OLD_NAME.search(citation.quote or "")
            new = match["name"].replace("_", "-") if match else ""
            at = next((at for at, f in enumerate(case.facts) if f.entity == f"container:{new}"), None) if new else None
            if match and at is not None:
                words = f"{match['name']} is now called {new}"
                note = Fact("note", finding.entity, {"name": RENAMED, "text": words, "value": new})
                yield JoinedFact(note, (citation, *case.cite(at, "state", "status")))
                return


def _setting(case: Case, name: re.Pattern[str], values: tuple[str, ...], of: str = "") -> int | None:
    """The first setting of this name with one of the values, of one machine where it is told which."""
    for at, fact in enumerate(case.facts):
        told = fact.attributes
        named = fact.kind == "setting" and name.fullmatch(str(told.get("name")))
        if named and str(told.get("value")) in values and of in ("", fact.entity):
            return at
    return None


def _quoted(case: Case, words: re.Pattern[str]) -> Citation | None:
    for finding in case.findings:
        for citation in finding.citations:
            if words.search(citation.quote or ""):
                return citation
    return None


_PROOFS: Final[tuple[Callable[[Case], Iterator[JoinedFact]], ...]] = (_leaf, _advertised, _cleaned, _renamed)
