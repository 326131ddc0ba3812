"""A stored report as HTML: markdown without HTML, cleaned once more, with our own charts in their places."""

import re
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markupsafe import Markup

from domain.report import Series
from report.chart import RED, Mark, svg

_TAGS: Final = {
    "h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "table", "thead",
    "tbody", "tr", "th", "td", "hr", "br", "a",
}  # fmt: skip
_CHART: Final = re.compile(r"charts/(\d\d)-[a-z0-9-]*\.svg")
_TITLE: Final = re.compile(r"\A# [^\n]*\n")
_MERMAID: Final = re.compile(r"^```mermaid\n.*?^```$\n?", re.DOTALL | re.MULTILINE)


def page_of(markdown: str, charts: Sequence[str]) -> Markup:
    """The report without its title, which the page has, and with charts (SVG of ours) where it links to them."""
    nonce = f"chart{uuid.uuid4().hex}x"  # nobody can write it into a report
    shown = _markdown(nonce).render(_MERMAID.sub("", _TITLE.sub("", markdown)))
    clean = nh3.clean(shown, tags=_TAGS, attributes={"a": {"href"}, "ol": {"start"}}, url_schemes={"http", "https"},
                      link_rel="noopener noreferrer nofollow")  # fmt: skip
    return Markup(re.sub(rf"{nonce}(\d\d)", lambda m: _chart(int(m[1]), charts), clean))  # cleaned above


def sections(page: Markup) -> tuple[Markup, list[tuple[Markup, Markup]]]:
    """What stands above the first heading, then heading and text of each section."""
    first, *rest = page.split("<h2>")
    parted = [each.partition("</h2>") for each in rest]
    # parts of what was clean
    return Markup(first), [(Markup(head), Markup(text)) for head, _, text in parted]


def drawn(series: Sequence[Series], fired_at: datetime) -> list[str]:
    """The SVG of each chart, with the alert marked."""
    mark = Mark(fired_at.timestamp(), "alert", RED)
    return [svg(each, [mark]) for each in series]


def _markdown(nonce: str) -> MarkdownIt:
    def image(_: RendererHTML, tokens: Sequence[Any], at: int, *__: Any) -> str:
        found = _CHART.fullmatch(str(tokens[at].attrs.get("src", "")))
        return f"{nonce}{found[1]}" if found else ""

    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    made.add_render_rule("image", image)
    return made


def _chart(number: int, charts: Sequence[str]) -> str:
    return f'<span class="chart">{charts[number - 1]}</span>' if 1 <= number <= len(charts) else ""
