"""The causal chain as a Mermaid flowchart."""

import re
import textwrap
from collections.abc import Iterable
from typing import Final

from analysis.text import clip
from report.escape import visible

WIDTH: Final = 42  # characters of a line inside a box
LONGEST: Final = 160
_ACTIVE: Final = re.compile(r"[^\w\s.,:/()=+*@?!'-]|_{2,}", re.ASCII)


def flowchart(boxes: Iterable[tuple[str, str]], edge: str = "") -> str:
    """A flowchart of boxes, each a heading and a text, from the cause down to the alert."""
    told = list(boxes)
    lines = ["flowchart TD"]
    lines += [f'  n{n}["{label(heading, text)}"]' for n, (heading, text) in enumerate(told, 1)]
    arrow = f"-->|{label(edge, '')}|" if edge else "-->"
    lines += [f"  n{n} {arrow} n{n + 1}" for n in range(1, len(told))]
    return "\n".join(lines)


def label(heading: str, text: str) -> str:
    """The two as text inside a quoted label; every character that Mermaid or HTML acts on is a numeric entity."""
    rows = [heading, *textwrap.wrap(clip(visible(text), LONGEST), WIDTH)]
    return "<br/>".join(_inert(clip(visible(row), LONGEST)) for row in rows if row)


def _inert(text: str) -> str:
    return _ACTIVE.sub(lambda m: "".join(c if ord(c) > 127 else f"#{ord(c)};" for c in m[0]), text)
