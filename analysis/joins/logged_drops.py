"""Packets that a firewall logged as blocked, to a port that is served here and that somebody gets no answer from."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "served port blocked"
_BLOCKED: Final = re.compile(
    r"\[?(?:UFW BLOCK|[\w-]*(?:DROP|REJECT|BLOCK)[\w-]*)\]?:? .*\bPROTO=(?:TCP|UDP)\b.*\bDPT=(?P<port>\d+)"
)
_UNANSWERED: Final = re.compile(
    r"(?i)tim(?:ed?|ing)[ -]?out|unreachable|cannot be reached|can't be reached|no route to host|"
    r"ETIMEDOUT|not reachable|refused|cannot connect|fails? to connect|no answer|not answer"
)
_INSIDE: Final = ("127.", "[::1]", "localhost")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each port that answers on the machine, or is published, and is blocked from outside.

    The internet knocks at every port all day: that it is turned away harms nobody who does not complain.
    """
    told: set[str] = set()
    if not _is_missed(case):
        return
    for finding in case.findings:
        for citation in finding.citations:
            match = _BLOCKED.search(citation.quote or "")
            port = match["port"] if match else ""
            at = _served(case, port) if port and port not in told else None
            if at is not None:
                told.add(port)
                text = f"the firewall blocks port {port}, which is served here"
                note = Fact("note", "network:firewall", {"name": NAME, "text": text, "value": int(port)})
                yield JoinedFact(note, (citation, *case.cite(at, "status", "ports", "local")), finding.onset)


def _served(case: Case, port: str) -> int | None:
    for at, fact in enumerate(case.facts):
        told = fact.attributes
        local = str(told.get("host") or "") in ("localhost", "127.0.0.1")
        probed = fact.kind == "probe" and local and str(told.get("port")) == port and told.get("ok") is True
        published = fact.kind == "container" and any(_publishes(each, port) for each in texts(told, "ports"))
        if probed or published:
            return at
    return None


def _publishes(mapping: str, port: str) -> bool:
    """Whether the mapping opens the port to others than the machine itself."""
    return f":{port}->" in mapping and not mapping.startswith(_INSIDE)


def _is_missed(case: Case) -> bool:
    """Whether an alert or a line that a finding cites tells that something gives no answer."""
    alerts = (text for alert in case.incident.alerts for text in (alert.name, *alert.annotations.values()))
    return case.quoted(_UNANSWERED) is not None or any(_UNANSWERED.search(text) for text in alerts)
