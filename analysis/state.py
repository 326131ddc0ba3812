"""Whether a typed fact satisfies a runbook's state test."""

from collections.abc import Callable
from dataclasses import dataclass

from analysis.patterns import compiled
from domain.facts import Attribute, Fact, Scalar
from domain.runbook import Condition, StateTest

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


def predicate(fact: Fact, test: StateTest) -> bool:
    """Whether the fact is of the test's kind and satisfies all of its conditions."""
    return fact.kind == test.fact and compile_test(test)(fact)


def compile_test(test: StateTest) -> Compiled:
    """The test, ready to be asked of many facts of its kind."""
    absent = frozenset(each.attribute for each in test.where if each.present is not None and not _wants(each))
    checks = tuple((each.attribute, _check(each)) for each in test.where if each.present is None or _wants(each))
    return Compiled(checks, absent)


def _wants(condition: Condition) -> bool:
    return condition.present is not condition.negate


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
