"""Views of runbooks: passages with their headings, pages as they are."""

from domain.codec import Json
from tools.views.searched import searched


def passages(data: Json) -> str:
    """One block a passage; says when nothing fits."""
    rows = [
        f"## {p['runbook']} ({p['fault']}; {p['how']}, {p['score']:.3f}) {p['heading']}\n{p['text']}"
        for p in data["passages"]
    ]
    return searched(data, rows if data["fits"] else ["no runbook fits", *rows])


def page(data: Json) -> str:
    """One page of a runbook."""
    return searched(data, [f"{data['runbook']}, page {data['page']} of {data['pages']}", data["text"]])
