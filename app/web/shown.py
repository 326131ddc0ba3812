"""Templates, and how times and events are put into words on a page."""

import hashlib
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from report.moments import span
from store.events import Event

FOLDER: Final = Path(str(files("app.web")))
STATUSES: Final = ("open", "investigating", "closed", "failed")
VERDICTS: Final = {"root_cause": "cause found", "healthy": "healthy", "undetermined": "undetermined"}
_TOLD: Final = {
    "taken": "a worker took it", "resumed": "another worker goes on with it", "stage": "{}", "tool_called": "{}",
    "agent_started": "{}: started", "agent_done": "{}: done", "report": "the report is written",
}  # fmt: skip


@cache
def assets() -> dict[str, tuple[str, bytes]]:
    """Static files under names that change with their content: media type and bytes."""
    kinds = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
    return {
        f"{file.stem}.{hashlib.sha256(raw := file.read_bytes()).hexdigest()[:12]}{file.suffix}": (
            kinds[file.suffix],
            raw,
        )
        for file in sorted((FOLDER / "static").iterdir())
        if file.suffix in kinds
    }


def page(template: str, **values: Any) -> str:
    """A page; everything in it is escaped."""
    return _environment().get_template(template).render(now=datetime.now(UTC), **values)


def utc(moment: datetime) -> str:
    """`2026-03-04 10:22:05 UTC`."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def age(moment: datetime, now: datetime) -> str:
    """`6 min ago`."""
    seconds = (now - moment).total_seconds()
    return f"{span(seconds)} ago" if seconds >= 0 else f"in {span(seconds)}"


def percent(share: float) -> str:
    """`93 %`."""
    return f"{share:.0%}"


def told(event: Event) -> str:
    """What an event says, in words."""
    of = str(event.data.get("of", "")) if isinstance(event.data, dict) else ""
    words = of.split()
    if event.kind == "tool_called" and len(words) == 2:
        return f"{words[0]}: {words[1]}"
    if event.kind == "agent_done" and len(words) == 3:
        return f"{words[0]}: {words[1]} findings, {words[2]} gaps"
    return _TOLD.get(event.kind, event.kind).format(of.replace("_", " "))


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {"utc": utc, "age": age, "percent": percent, "told": told}
    for kind, name in (("style", ".css"), ("script", ".js")):
        made.globals[kind] = next(asset for asset in assets() if asset.endswith(name))
    made.globals |= {"verdicts": VERDICTS, "statuses": STATUSES, "signed_in": False}
    return made
