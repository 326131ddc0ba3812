"""The tables that SQL shells print: drawn, boxed, one value a line, or bare cells named by the statement."""

import re
from typing import Final

from analysis.captures.columns import Row, barred
from analysis.captures.context import Context, Line

_LIST: Final = re.compile(r"\bselect\s+(.*?)\s+from\b", re.IGNORECASE | re.DOTALL)
_BOX: Final = re.compile(r"[┌├└╞╘][─═┬┼┴┐┤┘╪╡╛]*")
_NAMES_TOO: Final = re.compile(r"\bshow\s+(?:global |session )?(?:variables|status)\b", re.IGNORECASE)
_NAMED: Final = ["variable_name", "value"]


def rows(text: str, context: Context) -> list[Row]:
    """The rows of the answer with their cells by name; none where it is no table."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    if any(
        re.match(r"-[ RECORD[\s\d\]+-]*|\*+ \d+\. row \*+", line.text) and ("RECORD" in line.text or "row" in line.text)
        for line in lines
    ):
        return _expanded(lines)
    if any(_BOX.match(line.text) for line in lines):
        return _boxed(lines)
    if any(re.match(r"\s*[-+]{3,}(?:\+[-+]+)*\s*$", line.text) for line in lines):
        return list(barred(lines))
    return _unaligned(lines, context)


def _boxed(lines: list[Line]) -> list[Row]:
    """PrettyCompact of clickhouse-client: names in the upper edge of the box, or in its first row."""
    edge = next(line.text for line in lines if _BOX.match(line.text))
    titles = [name for name in re.split(r"[┌┬┐─]+", edge) if name.strip()]
    cells = [
        (line, [cell.strip() for cell in line.text.strip().strip("│┃").split("│")])
        for line in lines
        if line.text.strip().startswith("│")
    ]
    if not titles:
        head = next((line.text for line in lines if line.text.startswith("┃")), "")
        titles = [cell.strip() for cell in head.strip("┃").split("┃")]
    return [Row(line, dict(zip(titles, row, strict=True))) for line, row in cells if len(row) == len(titles)]


def _expanded(lines: list[Line]) -> list[Row]:
    """psql \\x and mysql \\G: one `name | value` a line."""
    found: list[Row] = []
    for line in lines:
        if re.match(r"-\[ RECORD|\*+ \d+\. row", line.text):
            found.append(Row(line, {}))
        elif found and (match := re.match(r"\s*([\w.()]+)\s*[|:]\s?(.*)$", line.text)):
            found[-1].cells[match[1]] = match[2].strip()
            if len(found[-1].cells) == 1:
                found[-1] = Row(line, found[-1].cells)
    return found


def _unaligned(lines: list[Line], context: Context) -> list[Row]:
    """psql -At and mysql -N: bare cells, named by the statement's select list; mysql -B has a header."""
    mark = "|" if any("|" in line.text for line in lines) else "\t"
    if not any(mark in line.text for line in lines):
        return []
    titles = _selected(context.command.line) or (_NAMED if _NAMES_TOO.search(context.command.line) else [])
    cells = [line.text.split(mark) for line in lines]
    if mark == "\t" and not titles and not context.command.has("-N", "-sN", "--skip-column-names"):
        titles, cells, lines = cells[0], cells[1:], lines[1:]
    if titles and cells and [cell.strip().lower() for cell in cells[0]] == [title.lower() for title in titles]:
        cells, lines = cells[1:], lines[1:]  # mysql -e prints the names of what was selected
    if len(titles) != len(cells[0] if cells else []):
        titles = [f"column{at + 1}" for at in range(len(cells[0]))] if cells else []
    fitting = [(line, row) for line, row in zip(lines, cells, strict=True) if len(row) == len(titles)]
    return [Row(line, dict(zip(titles, (cell.strip() for cell in row), strict=True))) for line, row in fitting]


def _selected(line: str) -> list[str]:
    match = _LIST.search(line)
    if match is None:
        return []
    parts, depth, start = [], 0, 0
    for at, char in enumerate(match[1] + ","):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(match[1][start:at])
            start = at + 1
    return [
        re.split(r"\s+as\s+|\s+", part.strip(), flags=re.IGNORECASE)[-1].strip('"').rpartition(".")[2].partition("(")[0]
        for part in parts
    ]
