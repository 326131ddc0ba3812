"""The entity that a target such as `db:5432` or `https://api.example.com/x` is about."""

import re
from typing import Final
from urllib.parse import urlsplit

from analysis.captures.context import Context, safe_entity

_OWN: Final = ("localhost", "127.0.0.1", "::1", "0.0.0.0")


def target_entity(target: str, context: Context) -> str:
    """A public name is external, a bare one a service; this machine where it is the machine itself."""
    host = (
        (urlsplit(target).hostname or "")
        if "://" in target
        else re.sub(r":\d+$", "", target.partition("/")[0]).strip("[]")
    )
    if host in _OWN or not host:
        return context.place
    if re.fullmatch(r"[\d.]+|[\da-f:]+:[\da-f:]*", host):
        return safe_entity("network", host)
    return safe_entity(
        "external" if "." in host and not re.search(r"\.(?:svc|local|internal|lan|cluster)\b", host) else "service",
        host,
    )
