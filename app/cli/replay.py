"""`fishbone replay`: progress on standard error, the report's first screen on standard output."""

import asyncio
import logging
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from rich.console import Console

from app.bootstrap import House, open_house
from app.cli.differences import differences_table
from app.cli.screen import Progress, output, progress, show_report
from app.investigation import Outcome
from app.keep import keep
from app.passes import named
from app.prompts import under_contract
from app.replay import MARKDOWN, REPORT, incident_of, replay, write
from app.settings import Settings, load_settings
from bundle.bundle import Bundle, open_bundle
from bundle.write import must_be_free
from domain.codec import Json
from domain.errors import BadBundle

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Asked:
    """What the command line says."""

    out: Path | None = None
    force: bool = False
    as_json: bool = False
    evidence: bool = False
    model: str = ""  # a tier, or a model that is set
    contract: str = ""  # a recording, or a version of the prompts


def run_replay(bundle: str, asked: Asked) -> None:
    """Replay, write, show. Raises BadBundle before anything is written."""
    settings = load_settings()
    if asked.out is not None:
        must_be_free(asked.out, asked.force)
    with open_bundle(find(bundle)) as opened, progress() as shown:
        incident_of(opened)  # before the database is started: what cannot be replayed is said at once
        earlier = _recorded_report(opened) if asked.model else None
        outcome, folder = asyncio.run(_replay(settings, opened, shown, asked))
    show_report(folder / (REPORT if asked.as_json else MARKDOWN), folder, outcome.unanswered, whole=asked.as_json)
    if earlier is not None:
        table = differences_table(earlier, outcome.document, outcome.unanswered)
        (Console(stderr=True, soft_wrap=True) if asked.as_json else output()).print(table)


async def _replay(settings: Settings, bundle: Bundle, shown: Progress, asked: Asked) -> tuple[Outcome, Path]:
    async with open_house(settings, models=bool(asked.model)) as opened:
        house = under_contract(opened, asked.contract) if asked.contract else opened
        second = named(house.models, asked.model) if asked.model else None
        outcome = await replay(house, bundle, from_files=asked.evidence, notice=shown.notice, second=second)
        folder = asked.out or kept_at(house, outcome)
        await asyncio.to_thread(write, outcome, bundle, house, folder, force=asked.force or asked.out is None)
        await keep(house, outcome)
        return outcome, folder


def _recorded_report(bundle: Bundle) -> Json:
    """The report that lies in a recording; None where there is none."""
    return bundle.read_json(REPORT) if bundle.is_recording and bundle.exists(REPORT) else None


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
