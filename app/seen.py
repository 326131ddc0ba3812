"""The machines that live sources look at, by all their names: an alert about another one is not about what they see."""

import socket
from typing import Final
from urllib.parse import urlsplit

import psutil

from app.settings import Settings
from domain.alert import Machines

_HERE: Final = ("localhost", "host.docker.internal", "0.0.0.0", "::")


def machines(settings: Settings) -> Machines:
    """This machine first, then those of `remote`."""
    here = (settings.host_name or socket.gethostname(), socket.gethostname(), *_HERE, *_addresses())
    there = ((name, urlsplit(remote.url).hostname or name) for name, remote in sorted(settings.remote.items()))
    return tuple(tuple(dict.fromkeys(names)) for names in (here, *there))


def _addresses() -> list[str]:
    found = psutil.net_if_addrs().values()
    kinds = (socket.AF_INET, socket.AF_INET6)
    return sorted(one.address.partition("%")[0] for some in found for one in some if one.family in kinds)
