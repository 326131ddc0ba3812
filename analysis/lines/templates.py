"""Groups log lines by what they say: a miner in the manner of Drain, with one setting for every program."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from analysis.lines.masks import WILDCARD, masked

_SIMILAR = 0.6  # share of a template's own words that a line must have in its place
_SAMPLES = 3
# Different words in one place up to which they are a program's own choice (start, list; success, failure), and beyond
# which they are a variable (users, stations): statements that differ in one word are few, names are many.
_CHOICES = 4
_GROUPS = 64  # of one family: with more, the place with the most words is a variable too
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
    family: int  # by the number of its first template
    last: int = 0
    count: int = 0
    samples: list[str] = field(default_factory=list)

    def take(self, other: "_Group") -> None:
        """The other's lines are this one's too."""
        self.tokens = _merged(self.tokens, other.tokens)
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        self.count += other.count
        self.samples = [*self.samples, *other.samples][:_SAMPLES]


@dataclass
class _Family:
    """Lines that are alike. They are one template where a word is a variable, and several where it is a choice."""

    tokens: list[str]
    words: list[set[str] | None]  # those seen in each place; None where they are a variable
    number: int  # of its first template
    groups: dict[tuple[str, ...], int] = field(default_factory=dict)  # by the words of a line that are no variable

    def key(self, tokens: list[str]) -> tuple[str, ...]:
        """What tells a line from the others of the family."""
        return tuple(WILDCARD if seen is None else word for word, seen in zip(tokens, self.words, strict=True))

    def see(self, tokens: list[str]) -> bool:
        """Notes the words of another line; whether some place has become a variable."""
        known = self.words
        for at, word in enumerate(tokens):
            seen = known[at]
            if seen is not None:
                seen.add(word)
        grown = [at for at, seen in enumerate(known) if seen is not None and len(seen) > _CHOICES]
        if not grown and len(self.groups) > _GROUPS:
            grown = [
                max((at for at in range(len(known)) if known[at] is not None), key=lambda at: len(known[at] or ()))
            ]
        for at in grown:
            known[at] = None
        return bool(grown)


class Miner:
    """Takes lines one by one and keeps their templates."""

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._within: list[int] = []  # of each group the one that it has become a part of, or itself
        self._known: dict[str, int] = {}
        self._leaves: dict[tuple[int, str], list[_Family]] = {}

    def add(self, line: str, number: int) -> int:
        """Counts a line; `find` tells from the answer which template it has, now or when more lines have come."""
        text = masked(line)
        index = self._known.get(text)
        index = self._place(text, number) if index is None else self.find(index)
        group = self._groups[index]
        group.count += 1
        group.last = number
        if group.count <= _SAMPLES:
            group.samples.append(line)
        return index

    def find(self, index: int) -> int:
        """The template, by its number, that a line now has for which `add` gave this answer."""
        within = self._within
        while within[index] != index:
            within[index] = within[within[index]]
            index = within[index]
        return index

    def family(self, index: int) -> int:
        """One number for all templates that are alike. A line that differs from known ones in a word or two is nothing
        that was never said before."""
        return self._groups[self.find(index)].family

    def template(self, index: int) -> Template:
        """The template that `add` named, as it stands now."""
        group = self._groups[self.find(index)]
        text = " ".join(group.tokens)
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
        return Template(digest, text, group.count, group.first, group.last, tuple(group.samples))

    def templates(self) -> list[Template]:
        """All templates, the most frequent first."""
        found = [self.template(index) for index in range(len(self._groups)) if self.find(index) == index]
        return sorted(found, key=lambda template: (-template.count, template.first))

    def _place(self, text: str, number: int) -> int:
        tokens = text.split()
        leaf = self._leaves.setdefault((len(tokens), tokens[0] if tokens else ""), [])
        family = _most_similar(tokens, leaf)
        if family is None:
            family = _Family(tokens, [{word} for word in tokens], len(self._groups))
            leaf.append(family)
        else:
            family.tokens = _merged(family.tokens, tokens)
            if family.see(tokens):
                self._join(family)
        index = self._group(family, tokens, number)
        if len(self._known) < _CACHE:
            self._known[text] = index
        return index

    def _group(self, family: _Family, tokens: list[str], number: int) -> int:
        key = family.key(tokens)
        index = family.groups.get(key)
        if index is None:
            index = family.groups[key] = len(self._groups)
            self._groups.append(_Group(list(key), number, family.number))
            self._within.append(index)
        return index

    def _join(self, family: _Family) -> None:
        """Groups that differed only in what has become a variable are one."""
        before, family.groups = family.groups, {}
        for key, index in before.items():
            kept = family.groups.setdefault(family.key(list(key)), index)
            if kept != index:
                self._within[index] = kept
                self._groups[kept].take(self._groups[index])


def _most_similar(tokens: list[str], leaf: list[_Family]) -> _Family | None:
    best, best_score = None, _SIMILAR
    for family in leaf:
        score = _similarity(family.tokens, tokens)
        if score > best_score or (score == best_score and best is None):
            best, best_score = family, score
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
