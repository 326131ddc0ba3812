"""Facts that no source tells alone, joined from several. One kind of join a file, found by folder.

Each file has `joined(case)`, which yields the facts with the citations of all that they are joined from; a state
signature of a runbook says what such a fact means.
"""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from analysis.case import Case
from analysis.joined_fact import JoinedFact

Join = Callable[[Case], Iterator[JoinedFact]]


def told(case: Case) -> Iterator[JoinedFact]:
    """What all joins find, in the order of their names."""
    for join in _joins():
        yield from join(case)


@cache
def _joins() -> tuple[Join, ...]:
    names = sorted(each.name for each in iter_modules(__path__))
    return tuple(import_module(f"{__name__}.{name}").joined for name in names)
