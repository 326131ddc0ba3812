"""report.md: the typed artifact as a page that a person on call can read at three in the morning."""

from collections.abc import Callable
from typing import Final

from domain.report import Report
from report.comparison import comparison
from report.followup import accounts, actions, run
from report.limits import coverage, ruled_out
from report.opening import opening
from report.page import Page, page_of
from report.proof import charts, citations, evidence, unverified
from report.story import chain, impact, timeline
from report.words import DEFAULT

Section = Callable[[Page], list[str]]
SECTIONS: Final[tuple[tuple[str, Section], ...]] = (
    ("impact", impact),
    ("timeline", timeline),
    ("chain", chain),
    ("evidence", evidence),
    ("comparison", comparison),
    ("citations", citations),
    ("unverified", unverified),
    ("charts", charts),
    ("ruled_out", ruled_out),
    ("coverage", coverage),
    ("next", actions),
    ("accounts", accounts),
    ("run", run),
)
OPTIONAL: Final = ("impact", "comparison", "unverified", "charts")  # left out when they have nothing to say


def markdown(report: Report, language: str = DEFAULT) -> str:
    """The whole report. Equal reports give equal bytes; only the last section, the run, differs between replays."""
    page = page_of(report, language)
    lines = opening(page)
    for name, section in SECTIONS:
        told = section(page)
        if told or name not in OPTIONAL:
            lines += ["", f"## {page.say[name]}", "", *told]
    return "\n".join(lines).encode("utf-8", "replace").decode("utf-8") + "\n"


def first_screen(text: str) -> str:
    """What a terminal shows of report.md: all above its first section."""
    return text.partition("\n## ")[0].rstrip() + "\n"
