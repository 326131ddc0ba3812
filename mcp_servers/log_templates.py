"""Lines of one shape, counted: what a text says, and what of it is new or bursting after a moment."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from analysis.lines.levels import at_least
from analysis.measured.variants import variant_in
from domain.results import Line, Searched, Template, Templates
from mcp_servers.log_match import Span, shortened
from mcp_servers.log_source import named
from mcp_servers.log_table import Row, Table, reaches

_RANK = {"fatal": 0, "error": 1, "warning": 2, None: 3, "info": 4, "debug": 5}
_CHANGE = {"new": 0, "burst": 1, "gone": 2, "": 3}
_BURST = 4.0  # times the rate before
_BURST_LEAST = 5  # lines
_SIDES = 2  # releases that can be compared
_GONE_LEAST = 5  # lines before the moment, regular enough that their absence tells something
_SHORTEST = timedelta(seconds=60)
_HISTORY_LEAST = timedelta(seconds=30)  # less says nothing of what is usual
_LEAD = timedelta(minutes=5)  # an alert fires after what it tells of: what came so long before counts as after


def templates(
    tables: Iterable[Table], span: Span, level: str | None, top: int
) -> tuple[list[Template], int, list[str], int]:
    """The shapes of lines, the worst and then the most frequent first; their number, problems and withheld lines."""
    found: list[Template] = []
    problems: list[str] = []
    after = 0
    for table in tables:
        found.extend(_template(table, rows) for rows in _groups(table, span) if reaches(rows[0].level, level))
        problems.extend(table.problems)
        after += table.after
    found.sort(key=lambda each: (_RANK.get(each.level, 4), -each.count, each.source, each.sample.line))
    return found[:top], len(found), problems, after


def novel(tables: Iterable[Table], moment: datetime, top: int) -> tuple[list[Template], int, list[str], int]:
    """The shapes that came, burst or went at the moment, the most telling first."""
    found: list[Template] = []
    problems: list[str] = []
    after = 0
    for table in tables:
        found.extend(_changed(table, moment))
        problems.extend(table.problems)
        after += table.after
    found.sort(key=_telling)
    return found[:top], len(found), problems, after


def result(
    found: tuple[list[Template], int, list[str], int],
    names: tuple[str, ...],
    window: str,
    filter_: str,
    more: Iterable[str],
) -> Templates:
    """The templates with what was searched."""
    shown, matched, problems, after = found
    searched = Searched(
        source=named(names), window=window, filter=filter_, matched=matched, returned=len(shown),
        truncated=matched > len(shown), after_window=after, problems=(*problems, *more),
    )  # fmt: skip
    return Templates(tuple(shown), searched)


def _groups(table: Table, span: Span) -> Iterator[list[Row]]:
    groups: dict[tuple[int, str | None], list[Row]] = defaultdict(list)
    for row in table.rows:
        if span.holds(row.at):
            groups[row.template, row.level].append(row)
    yield from groups.values()


def _families(table: Table) -> Iterator[list[Row]]:
    families: dict[tuple[int, str | None], list[Row]] = defaultdict(list)
    for row in table.rows:
        families[table.miner.family(row.template), row.level].append(row)
    yield from families.values()


def _changed(table: Table, moment: datetime) -> Iterator[Template]:
    if table.first is None or table.last is None or table.first >= moment:
        return  # without times, or without lines before, nothing is new
    onset = moment - min(_LEAD, (moment - table.first) / 2)
    before_seconds = max(onset - table.first, _SHORTEST).total_seconds()
    after_seconds = max(table.last - onset, _SHORTEST).total_seconds()
    history = onset - table.first >= _HISTORY_LEAST
    releases = _releases(table.rows, onset)
    for rows in _families(table):
        if table.sampled and not at_least(rows[0].level, "warning"):
            continue  # of such lines only the first were looked at
        timed = [row for row in rows if row.at is not None]
        after = [row for row in timed if row.at is not None and row.at >= onset]
        before = len(timed) - len(after)
        change = _change(before, len(after), before_seconds, after_seconds, history)
        if change:
            told = _template(table, _run(timed, after) or timed, before, len(after), change)
            yield replace(told, variants=_variants(releases, onset, rows)) if at_least(told.level, "warning") else told


def _releases(rows: list[Row], onset: datetime) -> Counter[str]:
    """How many lines after the onset each release wrote."""
    return Counter(variant_in(row.text) for row in rows if row.at is not None and row.at >= onset)


def _variants(releases: Counter[str], onset: datetime, rows: list[Row]) -> tuple[tuple[str, int, int], ...]:
    """The releases whose lines stand side by side after the onset, with how many of these lines each has."""
    if len(releases.keys() - {""}) < _SIDES:
        return ()
    own = _releases(rows, onset)
    return tuple((name, own[name], count) for name, count in sorted(releases.items()) if name)


def _run(timed: list[Row], after: list[Row]) -> list[Row]:
    """The lines after, with those right before them that belong to the same run: as close as they are to each other."""
    times = [row.at for row in after if row.at is not None]
    if len(times) < _BURST_LEAST:
        return after
    usual = max(_SHORTEST, 3 * (max(times) - min(times)) / len(times))
    start, before = min(times), []
    for row in sorted(
        (row for row in timed if row.at and row.at < start), key=lambda row: row.at or start, reverse=True
    ):
        if row.at is None or start - row.at > usual:
            break
        start = row.at
        before.append(row)
    return [*reversed(before), *after]


def _change(before: int, after: int, before_seconds: float, after_seconds: float, history: bool) -> str:
    if not history:
        return ""
    if before == 0:
        return "new" if after else ""
    if after == 0:
        expected = before / before_seconds * after_seconds
        return "gone" if before >= _GONE_LEAST and expected >= _GONE_LEAST else ""
    rate = (after / after_seconds) / (before / before_seconds)
    return "burst" if after >= _BURST_LEAST and rate >= _BURST else ""


def _template(table: Table, rows: list[Row], before: int = 0, after: int = 0, change: str = "") -> Template:
    shape = table.miner.template(rows[0].template)
    times = [row.at for row in rows if row.at is not None]
    first = rows[0]
    sample = shortened(Line(table.name, first.line, first.text, first.at, first.level))
    return Template(
        id=shape.id, text=shape.text[:500], source=table.name, count=len(rows), level=first.level,
        first=min(times, default=None), last=max(times, default=None), sample=sample,
        before=before, after=after, change=change,
    )  # fmt: skip


def _telling(each: Template) -> tuple[int, int, float, str, int]:
    first = each.first.timestamp() if each.first else 0.0
    return _RANK.get(each.level, 4), _CHANGE[each.change], first, each.source, each.sample.line
