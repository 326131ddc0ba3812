"""Alert senders, one file each: `NAME`, `knows(body)`, `read(body, now)`; where it has any `gaps(body)`, `group(body)`.

The folder is the list: a new sender is a new file, and one that does not load stops the start and names itself.
"""

import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib import import_module
from typing import Final

from domain.alert import Alert
from domain.codec import Json
from domain.errors import BadConfiguration, UnknownSource, UnreadablePayload

GENERIC: Final = "generic"
SKEW: Final = timedelta(minutes=5)  # that clocks may differ without a word
_PARTS: Final = ("entities", "mapping", "reading", "words")  # files that all senders share
_WRAPPERS: Final = ("alert", "payload", "body", "data", "notification")


@dataclass(frozen=True)
class Receiver:
    """What one file of this folder offers."""

    name: str
    knows: Callable[[Json], bool]  # whether this sender posted the body
    read: Callable[[Json, datetime], list[Alert]]
    gaps: Callable[[Json], list[str]]  # what is odd about it
    group: Callable[[Json], str]  # what the sender itself calls one problem, or nothing


@dataclass(frozen=True)
class Received:
    """A webhook's alerts; none is an answer too, for instance to a handshake."""

    alerts: tuple[Alert, ...]
    source: str  # which receiver read it
    gaps: tuple[str, ...] = ()
    group: str = ""  # equal for alerts that the sender itself takes for one problem


@cache
def receivers() -> tuple[Receiver, ...]:
    """Every sender of this folder by name, the generic one last. Raises BadConfiguration, naming the file."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in _PARTS)
    return tuple(sorted((_loaded(name) for name in names), key=lambda r: (r.name == GENERIC, r.name)))


def receive(body: Json, now: datetime, source: str = "") -> Received:
    """The alerts of a webhook body, read by the sender named or the one that knows it, else by the generic one.

    Raises UnreadablePayload with a line for the sender, and UnknownSource for a name that no file here has.
    """
    if not isinstance(body, dict | list) or not body:
        raise UnreadablePayload("the body holds no alert: a JSON object, or a list of them, is needed")
    receiver, body, gaps = _chosen(body, source)
    alerts = receiver.read(body, now)
    gaps += receiver.gaps(body) + ([] if alerts else [f"{receiver.name}: the body holds no alert"])
    return Received(tuple(alerts), receiver.name, (*dict.fromkeys(gaps + skewed(alerts, now)),), receiver.group(body))


def skewed(alerts: Iterable[Alert], now: datetime) -> list[str]:
    """What is to be said of alerts that begin later than now."""
    return [f"alert {one.name} begins after now: a clock is wrong" for one in alerts if _begins_later(one, now)]


def _chosen(body: Json, source: str) -> tuple[Receiver, Json, list[str]]:
    """Who reads it, what of it, and what is to be said about that."""
    known = {receiver.name: receiver for receiver in receivers()}
    if source and source not in known:
        raise UnknownSource(f"no receiver is called {source!r}; there are {', '.join(known)}")
    if source and source != GENERIC and known[source].knows(body):
        return known[source], body, []
    other = [f"{source} does not know this body"] if source and source != GENERIC else []
    for inner, where in _layers(body):
        knowing = next((r for r in receivers() if r.name != GENERIC and r.knows(inner)), None)
        if knowing:
            return knowing, inner, other + ([f"the alert was wrapped in {where!r}"] if where else [])
    return known[GENERIC], body, [*other, "no receiver knows this body; it was read by the usual names of its keys"]


def _layers(body: Json) -> list[tuple[Json, str]]:
    """The body, and an alert that something was wrapped around."""
    inner = [(body[key], key) for key in _WRAPPERS if isinstance(body, dict) and isinstance(body.get(key), dict)]
    return [(body, ""), *inner]


def _loaded(name: str) -> Receiver:
    try:
        module = import_module(f"{__name__}.{name}")
        gaps, group = getattr(module, "gaps", _no_gaps), getattr(module, "group", _no_group)
        return Receiver(module.NAME, module.knows, module.read, gaps, group)
    except (ImportError, SyntaxError, NameError, AttributeError) as exc:
        raise BadConfiguration(f"alerts/{name}.py does not load: {exc}") from exc


def _begins_later(alert: Alert, now: datetime) -> bool:
    return alert.starts_at is not None and alert.starts_at - now > SKEW


def _no_gaps(_: Json) -> list[str]:
    return []


def _no_group(_: Json) -> str:
    return ""
