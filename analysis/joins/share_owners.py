"""A path whose owner or mode cannot be set, since it lies on a share whose server decides about both."""

from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.shares import share_under
from domain.facts import Fact

NAME: Final = "share_refuses_owner"
_FAULTS: Final = ("disk.share_unsupported", "process.permission_denied")
_SETS: Final = ("chown", "ownership", "chmod", "change permissions")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that may not set owner or mode of a path on a share."""
    told: set[str] = set()
    for finding in case.findings:
        path = finding.captures.get("path", "")
        quotes = [citation.quote or "" for citation in finding.citations]
        sets = any(word in quote for quote in quotes for word in _SETS)
        if finding.kind not in _FAULTS or not path or not sets or finding.entity in told:
            continue
        share = share_under(case, finding.entity, path)
        if share is not None:
            told.add(finding.entity)
            mounted = case.facts[share].attributes
            text = f"{path} is on the share {mounted.get('device', '')} ({mounted['type']}), whose server maps owners"
            cited = (*finding.citations[:1], *case.cite(share, "type", "device"))
            yield JoinedFact(Fact("note", finding.entity, {"name": NAME, "text": text}), cited, finding.onset)
