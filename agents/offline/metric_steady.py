"""When the series of what the alert is about did not change: a finding that an all-clear can rest on."""

from collections.abc import Iterator
from typing import Final

from analysis.measured.felt import felt, noise
from domain.evidence import Citation, Finding, Severity
from domain.results import SeriesSummary

STEADY: Final = "metric.steady"
LEAST_SERIES: Final = 2
LEAST_POINTS: Final = 8  # fewer cannot tell steady from unseen
QUIET: Final = 4.0  # robust sigmas: what metric signatures count as a change
LEVELS: Final = ("error", "latency", "saturation", "cpu", "memory", "disk")  # kinds that have a level of their own
RANGE: Final = 4.0  # times the present level: single peaks of normal load stay within it
FLOOR: Final = {"error": 0.02, "cpu": 10.0, "latency": 50.0}  # what is noise near zero: a ratio, percent, milliseconds
HIGH_PERCENT: Final = 80.0  # where rules of thumb and default alerts call a resource nearly used up
TOLD: Final = ("error", "latency", "saturation", "cpu", "memory", "disk", "traffic")


def steady(entity: str, series: tuple[SeriesSummary, ...], call_id: str) -> Iterator[Finding]:
    """One finding, if the entity has enough series and none of them changed at the moment."""
    seen = [(at, one) for at, one in enumerate(series) if one.points >= LEAST_POINTS and one.median_after is not None]
    if len(seen) < LEAST_SERIES or any(_moved(one) for _, one in seen):
        return
    most = max(abs(one.score) for _, one in seen)
    ordered = sorted(seen, key=lambda s: (TOLD.index(s[1].kind) if s[1].kind in TOLD else len(TOLD), s[0]))[:4]
    named = ", ".join(f"{one.metric} {_value(one.median_before)} -> {_value(one.median_after)}" for _, one in ordered)
    cited = tuple(Citation(call_id, one.source, path=f"/series/{at}/score", value=one.score) for at, one in ordered)
    told = f"None of the {len(seen)} series of {entity} changed at the alert (most: {most:.1f} robust sigmas): {named}"
    kinds = sorted({one.kind for _, one in seen})
    yield Finding(entity, STEADY, told, cited, severity=Severity.INFO, weight=0.5, captures={"kinds": " ".join(kinds)})


def _moved(one: SeriesSummary) -> bool:
    """Whether the series changed at the moment, stands high, or stood elsewhere earlier in the window.

    A change long before the alert is in "the minutes just before" as well, so it shows only in the range.
    """
    now = abs(one.median_after or 0.0)
    if abs(one.score) >= QUIET and felt(one):
        return True
    if one.kind not in LEVELS:
        return False
    high = one.kind in ("cpu", "memory", "disk", "saturation") and _is_percent(one) and now >= HIGH_PERCENT
    least = max(FLOOR.get(one.kind, 0.0), noise(one) or 0.0)
    before = abs(one.median_before or 0.0)
    stepped = max(now, before) > RANGE * min(now, before) + least  # however few sigmas a short history makes of it
    return high or stepped or abs(one.mean - now) > now + least or one.max - one.min > RANGE * now + least


def _is_percent(one: SeriesSummary) -> bool:
    return 1.0 < one.max <= 100.0 and "byte" not in one.metric.lower()


def _value(value: float | None) -> str:
    return "?" if value is None else f"{value:.4g}"
