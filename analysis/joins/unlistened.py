"""A queue that fills while the workers listen to others."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.facts import Attribute, Fact

STATE: Final = "unlistened"
_LISTENS: Final = "queue-no-consumer/listens"
# Nobody takes from these by design: what failed or is not due yet is laid there, and the engine's own boxes.
_LAID: Final = re.compile(
    r"(?i)(?:^|[-_.:/])(?:dl[qx]|dead|dead[-_.]?letters?|poison|parking|failed|errors?|delayed?|retry|retries)"
    r"(?:$|[-_.:/])|^_kombu|pidbox"
)
_LEAST: Final = 100  # so few tasks may wait for a moment


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each queue that holds tasks and is not among those that the workers say they take from."""
    listens = [each for each in case.findings if each.signature == _LISTENS and each.citations]
    names = {each.captures.get("listened", "") for each in listens}
    for at, fact in enumerate(case.facts):
        name, messages = fact.attributes.get("name"), fact.attributes.get("messages")
        waits = fact.kind == "queue" and isinstance(messages, int | float) and messages >= _LEAST
        if (
            listens
            and waits
            and not _LAID.search(str(name))
            and name not in names
            and not fact.attributes.get("consumers")
        ):
            told: dict[str, Attribute] = {
                "name": name, "messages": messages, "state": STATE, "group": ", ".join(sorted(names)),
            }  # fmt: skip
            cited = (*case.cite(at, "messages"), *listens[0].citations[:1])
            yield JoinedFact(Fact("queue", fact.entity, told, fact.source), cited)
