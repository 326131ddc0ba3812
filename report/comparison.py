"""Model against analyst: what each would say by itself, and what only one of them found."""

from typing import Final

from domain.report import Opinion
from report.escape import cell, words
from report.page import Page

MOST: Final = 8  # findings of one side; the rest stands in report.json


def comparison(page: Page) -> list[str]:
    """How far they agree, one row each, and the findings that the other has not; no lines where no model looked."""
    told, say = page.report.comparison, page.say
    if told is None:
        return []
    names = ("opinion", "verdict", "entity", "fault", "how_sure", "findings", "unsupported")
    head = "| " + " | ".join(say[name] for name in names) + " |"
    lines = [say[f"agree_{told.agreement}"], "", head, "| --- | --- | --- | --- | ---: | ---: | ---: |"]
    lines += [_row(page, told.analyst), _row(page, told.model), "", say["shared"].format(count=told.shared)]
    for title, found in (("only_analyst", told.only_analyst), ("only_model", told.only_model)):
        lines += _found(page, title, found)
    return lines


def _row(page: Page, opinion: Opinion) -> str:
    by = page.say["by_analyst"] if opinion.by == "analyst" else cell(opinion.by, 60)
    verdict = page.say.get({"root_cause": "cause"}.get(opinion.verdict, opinion.verdict), opinion.verdict)
    entity, fault = (cell(text) if text else "" for text in (opinion.entity, opinion.fault))
    sure = f"{opinion.confidence:.0%}"
    return f"| {by} | {verdict} | {entity} | {fault} | {sure} | {opinion.findings} | {opinion.unsupported} |"


def _found(page: Page, title: str, found: tuple[str, ...]) -> list[str]:
    if not found:
        return []
    rest = len(found) - MOST
    lines = ["", f"**{page.say[title]}**", "", *(f"- {words(told, 240)}" for told in found[:MOST])]
    return lines + ([f"- {page.say['more_findings'].format(count=rest)}"] if rest > 0 else [])
