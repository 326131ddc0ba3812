"""What was ruled out, what was searched, and what could not be checked."""

from typing import Final

from domain.diagnosis import Hypothesis
from domain.evidence import Coverage, Gap
from report.document import in_call_order
from report.escape import cell, code, words
from report.page import Page
from report.verdict import ranked

OTHERS: Final = 5
COLUMNS: Final = ("call", "source", "window", "filter", "matched", "shown", "status")


def ruled_out(page: Page) -> list[str]:
    """What was dropped, and the other hypotheses; while the question is open only those that something contradicts."""
    others = [h for h in ranked(page.report.diagnosis)[1:] if page.cause or h.contradicts][:OTHERS]
    reasons = [(other, _reason(page, other)) for other in others]
    told = {f"{other.fault} of {other.entity}: {reason}" for other, reason in reasons}
    lines = [f"- {words(line, 300)}" for line in page.report.diagnosis.ruled_out if line not in told]
    return [*(_other(page, *each) for each in reasons), *lines] or [page.say["nothing_ruled_out"]]


def coverage(page: Page) -> list[str]:
    """One row per call, then the gaps and the recorder's note."""
    lines = _table(page) if page.report.coverage else [page.say["no_coverage"]]
    gaps = [_gap(page, gap) for gap in page.report.gaps]
    told_already = {gap.why for gap in page.report.gaps}
    gaps += [f"- {words(told, 300)}" for told in page.report.incident.gaps if told not in told_already]
    lines += ["", f"**{page.say['gaps']}**", "", *(gaps or [page.say["no_gaps"]])]
    notes = page.report.incident.notes.strip()
    return [*lines, "", f"**{page.say['notes']}:** {words(notes, 600)}"] if notes else lines


def _reason(page: Page, other: Hypothesis) -> str:
    """Why it lost, as the diagnosis says it."""
    head = f"{other.fault} of {other.entity}: "
    lines = (line.removeprefix(head) for line in page.report.diagnosis.ruled_out if line.startswith(head))
    return next(lines, "")


def _other(page: Page, other: Hypothesis, reason: str) -> str:
    told = f"- {code(other.fault, 80)} · {code(other.entity, 120)} ({page.say['score']} {other.score:.2f}"
    told += f"; {words(reason, 200)})" if reason and not other.contradicts else ")"
    against = "; ".join(words(why, 160) for why in other.contradicts[:3])
    return f"{told}: {words(other.summary, 200)}" + (f" · {page.say['against']}: {against}" if against else "")


def _table(page: Page) -> list[str]:
    rows = [_row(page, c) for c in in_call_order(page.report.coverage)]
    used = [n for n in range(len(COLUMNS)) if any(row[n] != "-" for row in rows)]
    head = [page.say[COLUMNS[n]] for n in used]
    body = [[row[n] for n in used] for row in rows]
    return [_line(head), _line(["---"] * len(used)), *map(_line, body)]


def _row(page: Page, c: Coverage) -> list[str]:
    returned = "-" if c.returned is None else f"{c.returned}" + (f" ({page.say['cut']})" if c.truncated else "")
    matched = "-" if c.matched is None else str(c.matched)
    return [cell(c.call_id, 40), cell(c.source, 60), cell(c.window, 45), cell(c.filter, 50), matched, returned,
            cell(c.status, 20)]  # fmt: skip


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _gap(page: Page, gap: Gap) -> str:
    tried = f" ({page.say['tried'].format(what=words(gap.tried, 160))})" if gap.tried.strip() else ""
    return f"- {words(gap.what, 200)}: {words(gap.why, 240)}{tried}"
