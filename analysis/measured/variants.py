"""The new beside the old: instances of two releases that serve the same load at the same time.

What both have in common explains nothing, so what tells them apart is what the release changed.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.measured.series import bad_direction
from domain.results import SeriesSummary

_NEW: Final = frozenset({"canary", "preview", "next", "new", "candidate", "experiment", "treatment", "rc"})
_OLD: Final = frozenset({"stable", "baseline", "primary", "old", "control", "production", "current", "previous"})
_WORDS: Final = "|".join(sorted(_NEW | _OLD))
_RELEASE: Final = r"v?\d+(?:[._]\d+){1,2}(?:-[\w.]+)?|v\d+|r\d{2,}|\d{4}[.-]\d{2}[.-]\d{2}[\w.-]*"
_RANDOM: Final = r"[bcdfghjklmnpqrstvwxz2456789]"  # letters of names that Kubernetes makes up
_POD: Final = re.compile(
    rf"^(?P<base>[a-z][a-z0-9-]*?)-(?P<variant>[a-f0-9]{{8,10}}|{_RANDOM}{{8,10}})(?:-[a-z0-9]{{5}})?$"
)
_NAMED: Final = re.compile(
    rf"^(?P<base>[A-Za-z].*?)(?:[-_/:@]|\.(?!\d))(?P<variant>{_WORDS}|{_RELEASE})(?:-[a-z0-9]{{5}})?$", re.IGNORECASE
)
_LABEL: Final = re.compile(
    r"(?P<all>[{\[(,]?\s*(?:version|app_version|release|track|revision|variant|pod_template_hash|"
    r"rollouts_pod_template_hash|"
    r"deployment|destination_version|canary)\s*=~?\s*[\"']?(?P<variant>[\w.-]+)[\"']?)",
    re.IGNORECASE,
)
# Of a metric only what is said of releases alone: heaps have a new and an old part, counters a current and a previous.
_OF_METRIC: Final = re.compile(
    r"^(?P<base>\w+?)[_.](?P<variant>canary|preview|candidate|stable|baseline|v\d+)$", re.IGNORECASE
)
_FIELD: Final = re.compile(
    r"[\"']?\b(?:version|app_?version|service\.version|release|track|revision|variant|pod_template_hash|"
    r"image_tag|build)[\"']?\s*[:=]\s*"
    r"[\"']?(?P<variant>[A-Za-z0-9][\w.-]{0,40})",
    re.IGNORECASE,
)
_POD_FIELD: Final = re.compile(
    r"[\"']?\b(?:pod|pod_?name|hostname|host|instance|k8s\.pod\.name)[\"']?\s*[:=]\s*[\"']?(?P<pod>[a-z][a-z0-9-]+)"
)
_SHARE: Final = re.compile(r"(?i)ratio|percent|pct|share|(?:error|failure|success)_?rate$|availability")
_TIMES: Final = {"error": 3.0, "latency": 2.0, "cpu": 1.5, "memory": 1.4, "saturation": 2.0}
_LEAST: Final = 0.01  # of a share of failures: less is noise of few requests
ENOUGH: Final = 5  # samples or lines of either
CLEARLY: Final = 0.9  # of the longer history: one scrape more or less is no age


@dataclass(frozen=True)
class Beside:
    """One number of the new release that is worse than the old one's at the same time."""

    service: str
    metric: str
    kind: str
    new: str
    old: str
    of_new: float
    of_old: float
    at_new: int  # places of the series
    at_old: int


def variant_of(entity: str) -> tuple[str, str]:
    """The service and the variant that a name of instances says, "" for the latter where it says none."""
    found = _NAMED.match(entity) or _pod(entity)
    return (found["base"], found["variant"].lower()) if found else (entity, "")


def variant_in(line: str) -> str:
    """The variant that a log line says it is of, "" where it says none."""
    if found := _FIELD.search(line):
        return found["variant"].lower()
    pod = _POD_FIELD.search(line)
    return variant_of(pod["pod"])[1] if pod else ""


def is_newer(one: str, other: str) -> bool | None:
    """Whether the first variant is the newer; None where their names do not tell."""
    if (one in _NEW) != (other in _NEW):
        return one in _NEW
    if (one in _OLD) != (other in _OLD):
        return other in _OLD
    a, b = ([int(part) for part in re.findall(r"\d+", each)] for each in (one, other))
    if re.fullmatch(_RELEASE, one) and re.fullmatch(_RELEASE, other) and a != b:
        return a > b
    return None


def beside(series: Sequence[SeriesSummary]) -> list[Beside]:
    """Where new instances are worse than old ones beside them, the greatest difference first."""
    groups: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    idle = _idle(series)
    for at, one in enumerate(series):
        service, metric, variant = _told(one)
        if variant and one.points >= ENOUGH and (service, variant) not in idle:
            groups[service, metric].append((variant, at))
    found = [each for (service, metric), of in sorted(groups.items()) for each in _pairs(service, metric, of, series)]
    return sorted(found, key=lambda each: (each.kind != "error", each.kind != "latency", -_factor(each), each.metric))


def _idle(series: Sequence[SeriesSummary]) -> set[tuple[str, str]]:
    """The releases that nobody asks: one that was drained has no errors and is no measure."""
    load: dict[tuple[str, str], float] = defaultdict(float)
    for one in series:
        service, _, variant = _told(one) if one.kind == "traffic" else ("", "", "")
        if variant:
            load[service, variant] = max(load[service, variant], _now(one))
    return {of for of, most in load.items() if most <= 0}


def _told(one: SeriesSummary) -> tuple[str, str, str]:
    service, variant = variant_of(one.entity)
    if variant:
        return service, one.metric, variant
    if label := _LABEL.search(one.metric):
        return one.entity, one.metric.replace(label["all"], ""), label["variant"].lower()
    if suffix := _OF_METRIC.match(one.metric):
        return one.entity, suffix["base"], suffix["variant"].lower()
    return one.entity, one.metric, ""


def _pod(entity: str) -> re.Match[str] | None:
    found = _POD.match(entity)
    return found if found and re.search(r"\d", found["variant"]) else None


def _pairs(service: str, metric: str, of: list[tuple[str, int]], series: Sequence[SeriesSummary]) -> Iterator[Beside]:
    """The worst instance of the new with the worst of the old: an old one that is as bad acquits the new."""
    variants = sorted({variant for variant, _ in of})
    if len(variants) != 2:
        return
    first, second = ([at for variant, at in of if variant == each] for each in variants)
    newer = is_newer(*variants)
    if newer is None:
        newer = _began_later(first, second, series)
    if newer is None:
        return
    (new, news), (old, olds) = ((variants[0], first), (variants[1], second))[:: 1 if newer else -1]
    worse = bad_direction(metric)
    at_new = max(news, key=lambda at: (_now(series[at]) * worse, -at))
    at_old = max(olds, key=lambda at: (_now(series[at]) * worse, -at))
    one = Beside(
        service, metric, series[at_new].kind, new, old, _now(series[at_new]), _now(series[at_old]), at_new, at_old
    )
    if _is_worse(one, worse):
        yield one


def _began_later(first: list[int], second: list[int], series: Sequence[SeriesSummary]) -> bool | None:
    """Of two template hashes the one with the shorter history is the newer."""
    a, b = (max(series[at].points for at in each) for each in (first, second))
    return None if min(a, b) > CLEARLY * max(a, b) else a < b


def _now(one: SeriesSummary) -> float:
    return one.median_after if one.median_after is not None else one.last


def _is_worse(one: Beside, worse: int) -> bool:
    new, old = (one.of_new, one.of_old) if worse > 0 else (1.0 - one.of_new, 1.0 - one.of_old)
    if worse < 0 and not (0.0 <= new <= 1.0 and 0.0 <= old <= 1.0):
        new, old = one.of_old, one.of_new
    times = _TIMES.get(one.kind)
    if times is None or (one.kind != "error" and old <= 0):  # what takes no time and no memory serves nobody
        return False
    least = _LEAST * (100.0 if max(new, old) > 1.0 else 1.0) if _SHARE.search(one.metric) else 0.0
    if one.kind == "error" and not _SHARE.search(one.metric):
        return new >= ENOUGH * max(old, 0.1)  # a count grows with the load, of which a canary has less
    return new >= times * old and new - old > least


def _factor(one: Beside) -> float:
    high, low = max(one.of_new, one.of_old), min(one.of_new, one.of_old)
    return high / low if low > 0 else 1e9
