"""Alerts about machines that nobody looks at: said in the report, lest this machine's state pass for theirs."""

import socket
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import psutil

from alerts.entities import entities
from app.settings import Settings
from domain.alert import Incident
from domain.entity import kind_of, name_of

_MOST: Final = 5  # are named
_HERE: Final = ("localhost", "host.docker.internal", "0.0.0.0", "::")


def elsewhere(settings: Settings, incident: Incident) -> tuple[str, ...]:
    """A gap for what the alerts call a machine that is neither this one nor one of `remote`."""
    known = {_bare(name) for name in _known(settings)}
    first = (next(iter(entities(alert)), "") for alert in incident.alerts)
    asked = dict.fromkeys(name_of(one) for one in first if kind_of(one) == "host")
    unseen = [name for name in asked if _bare(name) not in known]
    if not unseen:
        return ()
    here = settings.host_name or socket.gethostname()
    more = f" and {len(unseen) - _MOST} more" if len(unseen) > _MOST else ""
    names = f"{', '.join(unseen[:_MOST])}{more}"
    return (
        f"it names {names}, of which nothing was looked at; what is told is of {here} (the setting remote adds more)",
    )


def _known(settings: Settings) -> Iterator[str]:
    yield from (settings.host_name, socket.gethostname(), *_HERE)
    for name, remote in settings.remote.items():
        yield from (name, urlsplit(remote.url).hostname or "")
    for addresses in psutil.net_if_addrs().values():
        yield from (address.address.partition("%")[0] for address in addresses)


def _bare(name: str) -> str:
    """In lower case; of a name with a domain its first label."""
    lower = name.lower()
    return lower if lower.replace(".", "").isdigit() or ":" in lower else lower.partition(".")[0]
