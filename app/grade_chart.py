"""What a run of `fishbone eval` gave as one SVG: bars of every set, and the reliability curve."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from analysis.text import clip
from app.grades import Grade, by_set, figures
from report.chart import AMBER, BLUE, GREY, RED

WIDTH: Final = 760
LABEL, BARS, LINE, TOP = 150, 760 - 150 - 70, 34, 52  # of the bars: the names' width, the bars' width, a row, the head
PLOT: Final = 240  # of the curve: width and height
BANDS: Final = 10
_SHOWN: Final = (("ac_at_1", "AC@1", BLUE), ("ac_at_3", "AC@3", GREY), ("confident_wrong", "confident wrong", RED))


@dataclass(frozen=True)
class Band:
    """The answers whose confidence lies in one tenth."""

    said: float  # their mean confidence
    right: float  # share of them that is right
    count: int


def bands(told: Sequence[tuple[float, bool]]) -> list[Band]:
    """The reliability curve of pairs of confidence and whether the answer was right."""
    found: list[list[tuple[float, bool]]] = [[] for _ in range(BANDS)]
    for sure, right in told:
        found[min(BANDS - 1, int(sure * BANDS + 1e-9))].append((sure, right))
    return [
        Band(sum(sure for sure, _ in of) / len(of), sum(right for _, right in of) / len(of), len(of))
        for of in found
        if of
    ]


def chart(grades: Sequence[Grade]) -> str:
    """The whole drawing."""
    sets = by_set(grades)
    below = TOP + LINE * len(sets) + 56
    told = [(g.confidence, g.top1) for g in grades if g.confidence is not None]
    body = [*_bars(sets), *curve(bands(told), LABEL, below)]
    return drawing("fishbone eval", body, below + PLOT + 60)


def reliability(told: Sequence[tuple[float, bool]], title: str) -> str:
    """The curve alone."""
    return drawing(title, [*_head(title), *curve(bands(told), LABEL, TOP + 20)], TOP + PLOT + 80)


def drawing(title: str, body: Sequence[str], height: int) -> str:
    """An SVG of our width, readable on dark and on light."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        f' role="img" font-family="system-ui, sans-serif" font-size="11">',
        f"<title>{escape(title)}</title>",
        *body,
        "</svg>",
        "",
    ])  # fmt: skip


def _head(title: str) -> Iterator[str]:
    yield f'<text x="20" y="22" font-size="14" font-weight="600" fill="{GREY}">{escape(title)}</text>'


def _bars(sets: dict[str, list[Grade]]) -> Iterator[str]:
    yield from _head("Right answers by set")
    for n, (_, name, colour) in enumerate(_SHOWN):
        yield f'<rect x="{LABEL + n * 110}" y="32" width="10" height="10" fill="{colour}"/>'
        yield f'<text x="{LABEL + n * 110 + 15}" y="41" fill="{GREY}">{name}</text>'
    for row, (name, grades) in enumerate(sets.items()):
        yield from _set(TOP + row * LINE, name, figures(grades))


def _set(y: int, name: str, found: dict[str, float]) -> Iterator[str]:
    told = escape(clip(f"{name} ({found['bundles']:g})", 24))
    yield f'<text x="{LABEL - 8}" y="{y + 18}" text-anchor="end" fill="{GREY}">{told}</text>'
    for n, (key, _, colour) in enumerate(_SHOWN):
        width, at = found[key] * BARS, y + 4 + n * 8
        yield f'<rect x="{LABEL}" y="{at}" width="{width:.1f}" height="7" fill="{colour}"/>'
        yield f'<text x="{LABEL + width + 4:.1f}" y="{at + 7}" font-size="9" fill="{GREY}">{found[key]:.2f}</text>'


def curve(of: Sequence[Band], left: int, top: int) -> Iterator[str]:
    """Share of right answers over the confidence that was said; the dashed line is what a confidence promises."""
    bottom = top + PLOT
    yield from _axes(left, top)
    yield f'<line x1="{left}" y1="{bottom}" x2="{left + PLOT}" y2="{top}" stroke="{GREY}" stroke-dasharray="4 3"/>'
    points = [(left + band.said * PLOT, bottom - band.right * PLOT, band) for band in of]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    yield f'<polyline points="{path}" fill="none" stroke="{BLUE}" stroke-width="1.8"/>'
    for x, y, band in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2 + min(6.0, band.count**0.5 / 2):.1f}" fill="{AMBER}"/>'
        yield f'<text x="{x + 10:.1f}" y="{y + 12:.1f}" font-size="9" fill="{GREY}">{band.count}</text>'


def _axes(left: int, top: int) -> Iterator[str]:
    bottom, said = top + PLOT, "right, by the confidence that was said (number of answers)"
    yield f'<text x="{left}" y="{top - 10}" fill="{GREY}">{said}</text>'
    for n in range(6):
        at = n / 5
        x, y = left + at * PLOT, bottom - at * PLOT
        yield f'<line x1="{left}" x2="{left + PLOT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GREY}" stroke-opacity="0.25"/>'
        yield f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end" fill="{GREY}">{at:.1f}</text>'
        yield f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle" fill="{GREY}">{at:.1f}</text>'
