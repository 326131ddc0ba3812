"""`fishbone replay`: progress on standard error, the report's first screen on standard output."""

import asyncio
import logging
from importlib.resources import files
from pathlib import Path

from app.bootstrap import House, open_house
from app.cli.screen import Progress, progress, show_report
from app.investigation import Outcome
from app.keep import keep
from app.replay import MARKDOWN, REPORT, replay, write
from app.settings import Settings, load_settings
from bundle.bundle import Bundle, open_bundle
from bundle.write import must_be_free
from domain.errors import BadBundle

log = logging.getLogger(__name__)


def run_replay(bundle: str, out: Path | None, *, force: bool, as_json: bool, evidence: bool) -> None:
    """Replay, write, show. Raises BadBundle before anything is written."""
    settings = load_settings()
    if out is not None:
        must_be_free(out, force)
    with open_bundle(find(bundle)) as opened, progress() as shown:
        outcome, folder = asyncio.run(_replay(settings, opened, out, shown, force=force, evidence=evidence))
    show_report(folder / (REPORT if as_json else MARKDOWN), folder, outcome.unanswered, whole=as_json)


async def _replay(
    settings: Settings, bundle: Bundle, out: Path | None, shown: Progress, *, force: bool, evidence: bool
) -> tuple[Outcome, Path]:
    async with open_house(settings) as house:
        outcome = await replay(house, bundle, from_files=evidence, notice=shown.notice)
        folder = out or kept_at(house, outcome)
        await asyncio.to_thread(write, outcome, bundle, house, folder, force=force or out is None)
        await keep(house, outcome)
        return outcome, folder


def kept_at(house: House, outcome: Outcome) -> Path:
    """Where a report without --out is kept: under the data folder, by incident."""
    return house.settings.data_folder / "reports" / outcome.report.incident.id


def find(name: str) -> Path:
    """A path, or the name of an incident that is shipped. Raises BadBundle that lists the shipped ones."""
    path = Path(name)
    if path.exists() or "/" in name:
        return path
    shipped = Path(str(files("incidents")))
    if (shipped / name / "incident.yaml").is_file():
        return shipped / name
    names = sorted(p.parent.name for p in shipped.glob("*/incident.yaml"))
    raise BadBundle(
        f"{name}: there is no such folder, and no shipped incident of that name; shipped: {', '.join(names)}"
    )
