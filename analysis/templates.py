"""Groups log lines by what they say: a miner in the manner of Drain, with one setting for every program."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from analysis.masks import WILDCARD, masked

_SIMILAR = 0.6  # share of a template's own words that a line must have in its place
_SAMPLES = 3
_CACHE = 50_000  # masked lines remembered; a source with more kinds is searched again
_OUTCOMES = """
    fail failed fails failure succeeded success successful successfully error errors ok up down timeout timed refused
    denied rejected accepted opened closed connected disconnected started stopped starting stopping enabled disabled
    healthy unhealthy ready not no lost found missing expired valid invalid killed full exceeded leader follower
"""
_TELLING = frozenset(_OUTCOMES.split())


@dataclass(frozen=True)
class Template:
    """What several lines have in common."""

    id: str
    "Stable short hash of the text."
    text: str
    "The common words, with `<*>` where the lines differ."
    count: int
    "How many lines say it."
    first: int
    "Number of its first line, from 1."
    last: int
    "Number of its last line."
    samples: tuple[str, ...]
    "Up to three of its lines, as they came."


@dataclass
class _Group:
    """A template in the making."""

    tokens: list[str]
    first: int
    last: int = 0
    count: int = 0
    samples: list[str] = field(default_factory=list)


class Miner:
    """Takes lines one by one and keeps their templates."""

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._known: dict[str, int] = {}
        self._leaves: dict[tuple[int, str], list[int]] = {}

    def add(self, line: str, number: int) -> int:
        """Counts a line; the answer names its template for as long as the miner lives."""
        text = masked(line)
        index = self._known.get(text)
        if index is None:
            index = self._place(text, number)
        group = self._groups[index]
        group.count += 1
        group.last = number
        if group.count <= _SAMPLES:
            group.samples.append(line)
        return index

    def template(self, index: int) -> Template:
        """The template that `add` named, as it stands now."""
        group = self._groups[index]
        text = " ".join(group.tokens)
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
        return Template(digest, text, group.count, group.first, group.last, tuple(group.samples))

    def templates(self) -> list[Template]:
        """All templates, the most frequent first."""
        found = [self.template(index) for index in range(len(self._groups))]
        return sorted(found, key=lambda template: (-template.count, template.first))

    def _place(self, text: str, number: int) -> int:
        tokens = text.split()
        leaf = self._leaves.setdefault((len(tokens), tokens[0] if tokens else ""), [])
        index = self._most_similar(tokens, leaf)
        if index is None:
            index = len(self._groups)
            self._groups.append(_Group(tokens, number))
            leaf.append(index)
        else:
            self._groups[index].tokens = _merged(self._groups[index].tokens, tokens)
        if len(self._known) < _CACHE:
            self._known[text] = index
        return index

    def _most_similar(self, tokens: list[str], leaf: list[int]) -> int | None:
        best, best_score = None, _SIMILAR
        for index in leaf:
            score = _similarity(self._groups[index].tokens, tokens)
            if score > best_score or (score == best_score and best is None):
                best, best_score = index, score
        return best


def mine(lines: Iterable[str]) -> list[Template]:
    """The templates of these lines, the most frequent first; empty lines say nothing."""
    miner = Miner()
    for number, line in enumerate(lines, 1):
        if line and not line.isspace():
            miner.add(line, number)
    return miner.templates()


def _similarity(template: list[str], tokens: list[str]) -> float:
    """Share of words that agree, of all places but those variable in both; 0 where a word that tells differs.

    A place that has become variable counts against the line, or templates would drift until they match anything.
    """
    places = same = 0
    for ours, theirs in zip(template, tokens, strict=True):
        if ours == theirs:
            places += ours != WILDCARD
            same += ours != WILDCARD
            continue
        places += 1
        if ours != WILDCARD and (_tells(ours) or _tells(theirs)):
            return 0.0
    return same / places if places else 1.0


def _tells(word: str) -> bool:
    """Whether a word is the point of its line: an outcome, or the method and status of a request."""
    return word[0] == '"' or word.isdigit() or word.lower().strip(".,:;!") in _TELLING


def _merged(template: list[str], tokens: list[str]) -> list[str]:
    return [ours if ours == theirs else WILDCARD for ours, theirs in zip(template, tokens, strict=True)]
