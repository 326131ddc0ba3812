"""A container that is asked for by the name that an older compose gave it."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Fact

NAME: Final = "container renamed"
_OLD_NAME: Final = re.compile(r"No such (?:container|object): (?P<name>[a-z0-9-]+_[a-z0-9-]+_\d+)\b")


def joined(case: Case) -> Iterator[JoinedFact]:
    """A name with underscores that nobody has, and a container with hyphens in their place."""
    for finding in case.findings:
        for citation in finding.citations:
            match = _OLD_NAME.search(citation.quote or "")
            new = match["name"].replace("_", "-") if match else ""
            at = next((at for at, f in enumerate(case.facts) if f.entity == f"container:{new}"), None) if new else None
            if match and at is not None:
                words = f"{match['name']} is now called {new}"
                note = Fact("note", finding.entity, {"name": NAME, "text": words, "value": new})
                yield JoinedFact(note, (citation, *case.cite(at, "state", "status")))
                return
