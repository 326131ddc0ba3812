"""`fishbone record`: a bundle of this machine now, or of a finished investigation."""

import asyncio
import re
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from app.bootstrap import open_database
from app.flight import record_incident
from app.record import Asked, record
from app.scrub import of_this_machine
from app.settings import Settings, load_settings
from bundle.write import must_be_free
from domain.errors import BadConfiguration

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LONGEST: Final = timedelta(days=14)


@dataclass(frozen=True)
class Options:
    """The command line."""

    out: Path
    since: str = "1h"
    about: tuple[str, ...] = ()
    title: str = ""
    alert: Path | None = None
    incident: str = ""
    scrub: tuple[str, ...] = ()
    force: bool = False


def run_record(given: Options) -> None:
    """Record, and say where it is and what could not be had."""
    settings = load_settings()
    must_be_free(given.out, given.force)
    if given.incident:
        asyncio.run(_of_incident(settings, given))
        problems: tuple[str, ...] = ()
    else:
        problems = record(settings, _asked(given), given.out, force=given.force)
    for problem in problems:
        print(f"not recorded: {problem}", file=sys.stderr)
    print(f"recorded in {given.out}; look through it before you give it away, then: fishbone replay {given.out}")


async def _of_incident(settings: Settings, given: Options) -> None:
    async with open_database(settings) as database:
        scrub = of_this_machine(settings, given.scrub)
        await record_incident(database, given.incident, scrub, given.out, force=given.force)


def _asked(given: Options) -> Asked:
    try:
        alert = given.alert.read_bytes() if given.alert else b""
    except OSError as exc:
        raise BadConfiguration(f"{given.alert}: cannot be read: {exc.strerror}") from exc
    about = tuple(word for word in given.about if word)
    title = given.title or (f"trouble with {', '.join(about)}" if about else "recorded by hand")
    return Asked(title, span(given.since), about, alert, given.scrub)


def span(text: str) -> timedelta:
    """90s, 15m, 2h, 1d. Raises BadConfiguration."""
    match = re.fullmatch(r"(\d{1,6})([smhd])", text.strip())
    found = timedelta(seconds=int(match[1]) * _UNITS[match[2]]) if match else timedelta()
    if not timedelta() < found <= _LONGEST:
        raise BadConfiguration(f"--since {text}: write a time such as 90s, 15m, 2h or 1d, {_LONGEST.days}d at most")
    return found
