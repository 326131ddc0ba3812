"""NetBox: tells that an object was created, changed or deleted, which is no alert."""

from datetime import datetime
from typing import Final

from domain.alert import Alert
from domain.codec import Json

NAME: Final = "netbox"


def knows(body: Json) -> bool:
    """An event about a model, with its snapshots."""
    return isinstance(body, dict) and all(key in body for key in ("event", "model", "request_id", "snapshots"))


def read(_body: Json, _now: datetime) -> list[Alert]:
    """No alert."""
    return []
