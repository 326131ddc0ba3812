"""Machines whose clock is wrong: by their own hardware clock, or by the dates of their answers."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Final

from analysis.captures.context import HOST
from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.lines.timestamps import Clock, parse_time
from domain.entity import entity, kind_of, name_of
from domain.evidence import Citation
from domain.facts import Fact

_WRONG: Final = 60  # seconds; commands of one capture are not run at the same moment
_SAME: Final = 120  # seconds between two measures of one offset
_ZONE: Final = 1800  # seconds: hardware clocks that keep local time are off by whole half hours
_WEEKDAY: Final = re.compile(r"^[A-Z][a-z]{2} (?=\d{4}-)")
_Off = tuple[str, int, tuple[Citation, ...]]  # whose clock, seconds it is ahead, where that is told


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each machine that is off; its own word and what others see of it are put together."""
    own, seen = list(_by_hardware(case)), list(_by_answers(case))
    for of, seconds, cited in own:
        also = next((each for each in seen if abs(each[1] - seconds) < _SAME), None)
        seen = [each for each in seen if each is not also]
        yield _joined(of, also[1] if also else seconds, (*cited, *(also[2] if also else ())))
    for of, seconds, cited in {off[0]: off for off in reversed(seen)}.values():
        yield _joined(of, seconds, cited)


def _joined(of: str, seconds: int, cited: tuple[Citation, ...]) -> JoinedFact:
    return JoinedFact(Fact("clock", of, {"offset_seconds": seconds}), cited)


def _by_hardware(case: Case) -> Iterator[_Off]:
    """A system clock that nothing synchronises and that its machine's hardware clock contradicts."""
    for at, fact in enumerate(case.facts):
        told = fact.attributes
        system, hardware = _time(told.get("utc")), _time(told.get("rtc"))
        if fact.kind != "clock" or told.get("synchronized") is not False or system is None or hardware is None:
            continue
        off = round((system - hardware).total_seconds())
        if abs(off) > _WRONG and _WRONG < abs(off) % _ZONE < _ZONE - _WRONG:
            yield _called(case, at, fact.entity), off, case.cite(at, "utc", "rtc")


def _by_answers(case: Case) -> Iterator[_Off]:
    """A server whose answers bear another date than the machine that asked, where a third one agrees with either."""
    seen = list(_answers(case))
    for at, own, off in seen:
        others = [each for each in seen if each[0] != at and case.facts[each[0]].source == case.facts[at].source]
        if abs(off) <= _WRONG:
            continue
        if any(abs(each) < _WRONG and (off < 0 or (of == own and place > at)) for place, of, each in others):
            yield entity("host", name_of(case.facts[at].entity)), off, case.cite(at, "utc")
        elif _may_be_off(case, at, off) and any(abs(each - off) < _WRONG for _, _, each in others):
            yield _called(case, at, entity("host", HOST)), -off, case.cite(at, "utc")


def _answers(case: Case) -> Iterator[tuple[int, int, int]]:
    """Dates of answers, where the asker's own clock was printed last before them, and seconds they are ahead of it.

    An answer may be asked for long after that: only one behind it, or ahead of a later one, is surely off.
    """
    own: dict[str, tuple[int, datetime]] = {}
    for at, fact in enumerate(case.facts):
        if fact.kind != "clock" or (time := _time(fact.attributes.get("utc"))) is None:
            continue
        if kind_of(fact.entity) == "host":
            own[fact.source] = at, time
        elif fact.source in own:
            place, before = own[fact.source]
            yield at, place, round((time - before).total_seconds())


def _may_be_off(case: Case, at: int, off: int) -> bool:
    """Whether the asker's clock is not synchronised; what is merely ahead of it may have been asked later."""
    source = case.facts[at].source
    told = [fact.attributes.get("synchronized") for fact in case.facts
            if fact.kind == "clock" and fact.source == source and kind_of(fact.entity) == "host"]  # fmt: skip
    return True not in told and (off < 0 or False in told)


def _time(told: object) -> datetime | None:
    return (
        parse_time(_WEEKDAY.sub("", told), Clock(datetime(1970, 1, 1, tzinfo=UTC))) if isinstance(told, str) else None
    )


def _called(case: Case, at: int, of: str) -> str:
    """The machine; one without a name by its file, where that bears the name of something that an alert names."""
    stem = PurePosixPath(case.facts[at].source).name.partition(".")[0]
    texts = (text for alert in case.incident.alerts for text in (*alert.labels.values(), *alert.annotations.values()))
    named = re.compile(rf"(?<![\w.-]){re.escape(stem)}(?![\w-])")
    return entity("host", stem) if of == entity("host", HOST) and any(map(named.search, texts)) else of
