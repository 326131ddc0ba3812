"""Settings that a diff changes: bounds that shrink, work that grows."""

import re
from typing import Final

from analysis.diffs.effect import Effect

# A setting that holds work or time within bounds, and one that multiplies work when others already fail.
_BOUND: Final = re.compile(
    r"pool|size|limit|timeout|deadline|capacity|memory|cpu|replica|conn|worker|thread|ttl|buffer|interval|"
    r"period|quota|"
    r"concurren|heap|budget|entries|backlog|rate|poll|delay|grace|threshold|burst|body_?size|visibility|"
    r"^xm[xs]$|max(?:metaspace|-old-space)",
    re.IGNORECASE,
)
_EFFORT: Final = re.compile(r"retr(y|ies)|attempt|fan.?out|parallel", re.IGNORECASE)
_AT_ONCE: Final = re.compile(r"worker|thread|concurren|prefetch|batch|page_?size|chunk|consumer", re.IGNORECASE)
_COSTS: Final = re.compile(r"rounds|iterations|work_?factor|\bcost\b", re.IGNORECASE)
_ROOM: Final = re.compile(
    r"maxmemory|xm[xs]$|heap|shared_buffers|buffer_pool|cache_?size|old-space|work_mem", re.IGNORECASE
)
_SHARE: Final = re.compile(r"rollout|percent|weight|sampl|fraction|ratio", re.IGNORECASE)
_WAIT: Final = re.compile(r"timeout|deadline|max_?wait", re.IGNORECASE)
_HEAP: Final = re.compile(
    r"-(?P<name>Xm[xs]|XX:MaxMetaspaceSize|-max-old-space-size)=?(?P<number>\d+)(?P<unit>[kKmMgG]?)"
)
_DIRECTIVE: Final = re.compile(r"(?m)^\s*(?P<name>[a-z][a-z_]+)\s+(?P<number>\d+)(?P<unit>[a-zA-Z]*);")  # of nginx
_SETTING: Final = re.compile(
    r"(?P<name>[A-Za-z_][\w.-]*)[\"']?\s*(?:[:=(,]|:=|->|to)+\s*[\"']?(?P<number>\d+(?:\.\d+)?)(?:\s*\*\s*time\.)?"
    r"\s*(?P<unit>[A-Za-z]*)"
)
_WIDTH: Final = re.compile(r"(?i)(?P<name>\w+)\s+(?:var)?char(?:acter varying)?\((?P<number>\d+)\)(?P<unit>)")
_TOLD: Final = re.compile(  # a change of a setting as people write it: pool size 50 -> 5, replicas from 4 to 1
    r"(?P<name>[A-Za-z_][\w.-]*(?:\s(?!from\b)[A-Za-z_][\w.-]*)?)[:=]?\s+(?:from\s+)?(?P<old>\d+(?:\.\d+)?\s?[A-Za-z]{0,3})\s*"
    r"(?:->|=>|\u2192|to)\s*(?P<new>\d+(?:\.\d+)?\s?[A-Za-z]{0,3})\b"
)
_RENEWS: Final = re.compile(r"(?i)life_?time|max_?age|idle")  # less of it is only renewed more often
_HARMS: Final = (
    (
        "big",
        re.compile(
            r"(?i)body|payload|(?:message|packet|request|header|upload|file|frame)\w*(?:size|bytes|length)|entity"
        ),
    ),
    ("heap", re.compile(r"(?i)memory|heap|xm[xs]$|metaspace|old-space")),
    ("again", re.compile(r"(?i)visibility|ack_?(?:deadline|wait)|lease")),
    ("holds", re.compile(r"(?i)pool|conn")),
)
_UNITS: Final = {
    "s": 1.0, "second": 1.0, "seconds": 1.0, "ms": 0.001, "millisecond": 0.001, "milliseconds": 0.001, "m": 60.0,
    "minute": 60.0, "minutes": 60.0, "h": 3600.0, "hour": 3600.0, "hours": 3600.0, "ki": 2.0**10, "mi": 2.0**20,
    "gi": 2.0**30, "k": 2.0**10, "g": 2.0**30, "kb": 1e3, "mb": 1e6, "gb": 1e9,
}  # fmt: skip
LOWERS: Final = 1.5  # a bound becomes half of what it was or less: what fitted before no longer does
RAISES: Final = 1.0  # more of what multiplies load
TENFOLD: Final = 10.0  # a bound that far off bounds no more
LONGER: Final = 3.0  # a wait that long holds threads and connections that others need
TIMES: Final = 2.0  # less than that is tuning


def changed_bound(before: str, after: str) -> Effect | None:
    """A bound that is lowered to half or less, or retries that are doubled or more; None where there is neither."""
    old, new = _settings(before), _settings(after)
    for name in sorted(old.keys() & new.keys()):
        (was, told_was), (now, told_now) = old[name], new[name]
        if re.search(rf"(?i)\b{re.escape(name)}\s+(?:var)?char", after) and now < was:
            return Effect(LOWERS, f"shortens {name} from {told_was} to {told_now}", (name,), "range")
        if _BOUND.search(name) and not _RENEWS.search(name) and now <= was / TIMES:
            return Effect(LOWERS, f"lowers {name} from {told_was} to {told_now}", (name,), _harm(name))
        if _EFFORT.search(name) and now >= was * TIMES > 0:
            return Effect(RAISES, f"raises {name} from {told_was} to {told_now}", (name,), "load", calls=True)
    return None


def raised(before: str, after: str) -> Effect | None:
    """More work at once, or a longer wait for who does not answer: a reason where that is what runs out."""
    old, new = _settings(before), _settings(after)
    for name in sorted(old.keys() & new.keys()):
        (was, told_was), (now, told_now) = old[name], new[name]
        why = f"raises {name} from {told_was} to {told_now}"
        if _AT_ONCE.search(name) and now >= was * TIMES > 0:
            return Effect(RAISES, why, (name,), "work", only_if=True, calls=True)
        if _AT_ONCE.search(name) and now == 0 < was:
            return Effect(RAISES, f"sets {name} to 0, which bounds nothing", (name,), "work", only_if=True)
        if _ROOM.search(name) and now >= was * TIMES > 0:
            return Effect(RAISES, why, (name,), "heap", only_if=True)
        if _SHARE.search(name) and now >= was * TIMES > 0:
            return Effect(RAISES, why, (name,), "load", only_if=True)
        if _BOUND.search(name) and was == 0 < now:
            return Effect(RAISES, f"bounds {name} at {told_now}, which had no bound", (name,), "load", only_if=True)
        if _BOUND.search(name) and not _WAIT.search(name) and now >= was * TENFOLD > 0:
            return Effect(RAISES, why, (name,), "work", only_if=True, calls=True)
        if _COSTS.search(name) and now > was:
            return Effect(RAISES, why, (name,), "load", only_if=True)
        if _WAIT.search(name) and now >= was * LONGER > 0:
            return Effect(RAISES, why, (name,), "leak", only_if=True)
    return None


def told_bound(summary: str) -> Effect | None:
    """A bound that a change says it lowered, for changes whose diff nobody recorded."""
    told = _TOLD.search(summary)
    return changed_bound(f"{_joined(told)}={told['old']}", f"{_joined(told)}={told['new']}") if told else None


def _harm(name: str) -> str:
    """What goes wrong where this bound is too low."""
    return next((harm for harm, named in _HARMS if named.search(name)), "load")


def _joined(told: re.Match[str]) -> str:
    return re.sub(r"\s", "_", told["name"])


def _settings(text: str) -> dict[str, tuple[float, str]]:
    """Names with the number they are set to, in one unit and as written."""
    return {
        match["name"].lower(): (
            float(match["number"]) * _scale(match["name"], match["unit"].lower()),
            match["number"] + (f" {match['unit']}" if match["unit"].lower() in _UNITS else ""),
        )
        for match in (
            *_SETTING.finditer(text),
            *_HEAP.finditer(text),
            *_DIRECTIVE.finditer(text),
            *_WIDTH.finditer(text),
        )
    }


def _scale(name: str, unit: str) -> float:
    """What the number counts in; `m` is a minute, of CPU a thousandth, of memory a million."""
    if unit == "m" and re.search(r"(?i)cpu", name):
        return 0.001
    if unit == "m" and re.search(r"(?i)xm[xs]|memory|heap|space", name):
        return 2.0**20
    return _UNITS.get(unit, 1.0)
