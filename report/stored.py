"""What the stored results of an investigation bear: whether a citation stands where it says, word for word."""

import re
from collections.abc import Iterable, Iterator, Set
from typing import Final

from domain.codec import Json
from domain.evidence import Citation
from domain.tool import ToolResult
from report.pointer import resolve, same

SHORTEST: Final = 12  # characters of a quote that is not a whole line
LONGEST: Final = 300
LINE_ENDS: Final = re.compile(r"[\r\n\v\f\x85\u2028\u2029]")
ANSWERED: Final = ("ok", "no_data")

Place = tuple[str, int | None]  # source and line, as far as a result says


class Stored:
    """The results of some calls, for questions about citations."""

    def __init__(self, calls: Iterable[ToolResult], covered: Set[str] = frozenset()) -> None:
        self._calls = {call.call_id: call for call in calls}
        self._covered = covered  # calls of which the report says what they searched
        self._places: dict[str, dict[Place, list[str]]] = {}

    def holds(self, citation: Citation) -> bool:
        """Whether the result says what the citation says it does."""
        call = self._calls.get(citation.call_id)
        if call is None or call.status not in ANSWERED or (citation.quote is None and citation.path is None):
            return False
        return (citation.quote is None or self._quoted(citation, citation.quote)) and (
            citation.path is None or self._stands(citation, citation.path, call)
        )

    def searched(self, call_id: str) -> bool:
        """Whether the call says what it looked at, so that absence may be claimed of it."""
        call = self._calls[call_id]
        told = call.coverage is not None and call.coverage.status in ANSWERED
        return told or call_id in self._covered or (isinstance(call.data, dict) and "searched" in call.data)

    def places(self, call_id: str) -> dict[Place, list[str]]:
        """Every string of the result, by where it says the string is from."""
        if call_id not in self._places:
            self._places[call_id] = {}
            _collect(self._calls[call_id].data, ("", None), self._places[call_id])
        return self._places[call_id]

    def _quoted(self, citation: Citation, quote: str) -> bool:
        if len(quote) > LONGEST or LINE_ENDS.search(quote) or not quote.strip():
            return False
        whole = len(quote) < SHORTEST
        return any(_occurs(quote, text, whole) for text in self._where(citation))

    def _where(self, citation: Citation) -> Iterator[str]:
        """The strings of the call that may stand at the citation's source and line."""
        source, line, places = citation.source, citation.line, self.places(citation.call_id)
        if source and line is not None:
            near: Iterable[Place] = [(s, n) for s in (source, "") for n in (line, None) if (s, n) in places]
        else:
            near = [
                p for p in places if (not source or p[0] in (source, "")) and (line is None or p[1] in (line, None))
            ]
        for place in near:
            yield from places[place]

    def _stands(self, citation: Citation, path: str, call: ToolResult) -> bool:
        try:
            found = resolve(call.data, path)
        except LookupError:
            return False
        return same(found, citation.value) and (not _is_empty(found) or self.searched(citation.call_id))


def _occurs(quote: str, text: str, whole: bool) -> bool:
    if quote not in text:
        return False
    return not whole or any(quote.strip() == line.strip() for line in LINE_ENDS.split(text))


def _is_empty(value: Json) -> bool:
    return value is None or (not isinstance(value, bool) and value in (0, "", [], {}))


def _collect(data: Json, place: Place, into: dict[Place, list[str]]) -> None:
    """Every string of a result under the source and line that it or the nearest object around it names."""
    if isinstance(data, str):
        into.setdefault(place, []).append(data)
    elif isinstance(data, dict):
        own = _own(data, place)
        for value in data.values():
            _collect(value, own, into)
    elif isinstance(data, list):
        for value in data:
            _collect(value, place, into)


def _own(data: dict[str, Json], around: Place) -> Place:
    source, line = data.get("source"), data.get("line")
    return (source if isinstance(source, str) and source else around[0], line if isinstance(line, int) else around[1])
