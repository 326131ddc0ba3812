"""Reads named columns of a recorded CSV fast, and counts what cannot be read instead of stopping at it."""

import csv
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from analysis.lines.timestamps import Clock, parse_time
from bundle.bundle import Bundle
from bundle.documents import lines_of
from domain.errors import BadBundle

MOST_PROBLEMS: Final = 20


class Problems:
    """What could not be read, one line for each kind of trouble and file, with its number."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def note(self, what: str, count: int = 1) -> None:
        """Remember `count` more of this kind."""
        if count:
            self._counts[what] += count

    def lines(self) -> tuple[str, ...]:
        """Each kind with its count, in order of appearance."""
        return tuple(f"{what} ({count})" if count > 1 else what for what, count in self._counts.items())[:MOST_PROBLEMS]


class Times:
    """Epoch seconds of a cell; a recording repeats its stamps, so each is parsed once."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: dict[str, float | None] = {}

    def epoch(self, cell: str) -> float | None:
        """The time of a cell, None where it states none."""
        if cell not in self._known:
            self._known[cell] = _epoch(cell, self._clock)
        return self._known[cell]


def clock_of(bundle: Bundle) -> Clock:
    """The clock that stamps of this bundle are read against."""
    return Clock(bundle.now, bundle.timezone)


def _epoch(cell: str, clock: Clock) -> float | None:
    text = cell.strip()
    at = _iso(text, clock) or (parse_time(text, clock) if text else None)
    return at.astimezone(UTC).timestamp() if at else None


def _iso(text: str, clock: Clock) -> datetime | None:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=clock.zone)


def rows(bundle: Bundle, name: str, wanted: tuple[str, ...], problems: Problems) -> Iterator[tuple[str, ...]]:
    """The wanted cells of every row; a column that the header lacks is empty. Short rows are counted and left out."""
    try:
        with bundle.open_bytes(name) as stream:
            reader = csv.reader(line for _, line in lines_of(name, stream, bundle.limits))
            header = [cell.strip().lower() for cell in next(reader, [])]
            if wanted[0] not in header:
                problems.note(f"{name}: no column {wanted[0]}; the header must name {', '.join(wanted)}")
                return
            places = [header.index(column) if column in header else None for column in wanted]
            yield from _cells(reader, len(header), places, name, problems)
    except (BadBundle, csv.Error) as exc:
        problems.note(str(exc) if isinstance(exc, BadBundle) else f"{name}: broken CSV: {exc}")


def _cells(
    reader: Iterator[list[str]], width: int, places: list[int | None], name: str, problems: Problems
) -> Iterator[tuple[str, ...]]:
    for row in reader:
        if len(row) == width:
            yield tuple("" if place is None else row[place] for place in places)
        elif row:
            problems.note(f"{name}: rows with another number of cells than the header")


def matching(bundle: Bundle, folder: str) -> list[str]:
    """The CSV files below a folder, by path."""
    endings = (".csv", ".csv.gz", ".csv.zst")
    return [name for name in bundle.files() if name.startswith(f"{folder}/") and name.lower().endswith(endings)]
