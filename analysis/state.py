"""Whether a typed fact satisfies a runbook's state test."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from analysis.patterns import compiled
from domain.facts import Attribute, Fact, Scalar
from domain.runbook import Condition, StateTest

T = TypeVar("T")
Check = Callable[[Attribute], bool]
_TRUE = frozenset({"true", "on", "yes"})
_FALSE = frozenset({"false", "off", "no"})


@dataclass(frozen=True)
class Compiled:
    """A state test made ready for many facts."""

    checks: tuple[tuple[str, Check], ...]  # attribute and what its value must pass
    absent: frozenset[str]  # attributes that must not be there

    def __call__(self, fact: Fact) -> bool:
        """Whether a fact of the right kind satisfies all conditions."""
        attributes = fact.attributes
        for name, check in self.checks:
            value = attributes.get(name)
            # What a source does not say is unknown, not false: only `present: false` may rest on it.
            if value is None or not check(value):
                return False
        return all(_empty(attributes.get(name)) for name in self.absent)


class StateIndex(Generic[T]):
    """Many state tests, asked of many facts: by kind, then by the value of each test's first attribute.

    Facts of one kind share most values (`running`, `S`, `tcp`), so what a value rules out is worked out once.
    """

    def __init__(self, tests: Iterable[tuple[T, StateTest | None]]) -> None:
        self._tests: dict[str, dict[str, list[tuple[T, StateTest]]]] = {}
        for owner, test in tests:
            if test is not None:
                first = next((each.attribute for each in test.where if not _forbids(each)), "")
                self._tests.setdefault(test.fact, {}).setdefault(first, []).append((owner, test))
        self._compiled: dict[tuple[str, str], list[tuple[T, Compiled]]] = {}
        self._left: dict[tuple[str, str, type, str | int | float], list[tuple[T, Compiled]]] = {}

    def satisfied_by(self, fact: Fact) -> Iterator[T]:
        """The owners of the tests that the fact satisfies."""
        for attribute in self._tests.get(fact.kind, ()):
            value = fact.attributes.get(attribute)
            if value is not None or not attribute:
                yield from (owner for owner, test in self._candidates(fact.kind, attribute, value) if test(fact))

    def _candidates(self, kind: str, attribute: str, value: Attribute) -> list[tuple[T, Compiled]]:
        if not attribute or isinstance(value, list) or value is None:
            return self._of(kind, attribute)
        key = (kind, attribute, type(value), value)
        if key not in self._left:
            self._left[key] = [each for each in self._of(kind, attribute) if each[1].checks[0][1](value)]
        return self._left[key]

    def _of(self, kind: str, attribute: str) -> list[tuple[T, Compiled]]:
        """Compiled on first use: most kinds of fact are not seen in one incident."""
        key = (kind, attribute)
        if key not in self._compiled:
            self._compiled[key] = [(owner, compile_test(test)) for owner, test in self._tests[kind][attribute]]
        return self._compiled[key]


def predicate(fact: Fact, test: StateTest) -> bool:
    """Whether the fact is of the test's kind and satisfies all of its conditions."""
    return fact.kind == test.fact and compile_test(test)(fact)


def compile_test(test: StateTest) -> Compiled:
    """The test, ready to be asked of many facts of its kind."""
    absent = frozenset(each.attribute for each in test.where if _forbids(each))
    checks = tuple((each.attribute, _check(each)) for each in test.where if not _forbids(each))
    return Compiled(checks, absent)


def _forbids(condition: Condition) -> bool:
    """Whether the attribute must not be there."""
    return condition.present is not None and condition.present is condition.negate


def _check(condition: Condition) -> Check:
    single = _single(condition)
    negate = condition.negate and condition.present is None

    def check(value: Attribute) -> bool:
        found = any(map(single, value)) if isinstance(value, list) else single(value)
        return found is not negate

    return check if condition.present is None else lambda value: not _empty(value)


def _single(condition: Condition) -> Callable[[Scalar], bool]:
    """The test of one value, `negate` aside."""
    if condition.matches is not None:
        search = compiled(condition.matches).search
        return lambda value: search(_text(value)) is not None
    if condition.above is not None or condition.below is not None:
        return _between(condition.above, condition.below)
    if condition.one_of:
        return _one_of(condition.one_of)
    return _one_of((condition.equals,))


def _between(above: float | None, below: float | None) -> Callable[[Scalar], bool]:
    def check(value: Scalar) -> bool:
        number = _number(value)
        return number is not None and (above is None or number > above) and (below is None or number < below)

    return check


def _one_of(wanted: tuple[Attribute, ...]) -> Callable[[Scalar], bool]:
    booleans = {each for each in wanted if isinstance(each, bool)}
    texts = {_text(each).casefold() for each in wanted if not isinstance(each, bool | list)}
    numbers = {float(each) for each in wanted if isinstance(each, int | float) and not isinstance(each, bool)}

    def check(value: Scalar) -> bool:
        if isinstance(value, bool):
            return value in booleans
        if isinstance(value, int | float):
            return value in numbers
        text = _text(value).casefold()
        # YAML reads `on` and `off` as booleans, servers print them as words.
        return text in texts or (True in booleans and text in _TRUE) or (False in booleans and text in _FALSE)

    return check


def _empty(value: Attribute) -> bool:
    return value is None or value == "" or value == []


def _text(value: Attribute) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else str(value)


def _number(value: Scalar) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(value)
    except ValueError:
        return None
