"""Where an investigation's evidence comes from: this machine and its neighbours, or a recorded incident in a drill."""

from collections.abc import Callable, Mapping
from typing import Any

from app.bootstrap import House
from app.live import live_servers
from app.sources import RUNBOOKS, Search, recorded_servers
from bundle.bundle import open_bundle
from domain.alert import Incident
from domain.results import Passages
from mcp_servers.runbooks import runbooks
from tools.targets import Target

Targets = Callable[[House, Incident], Mapping[str, Target]]


def targets(house: House, incident: Incident) -> Mapping[str, Target]:
    """The servers to ask about this incident, by name."""
    search, read = patient_search(house), house.index.read
    if house.settings.evidence is not None:
        return recorded_servers(open_bundle(house.settings.evidence), search, read)
    return {**live_servers(house.settings, incident), RUNBOOKS: runbooks(search, read)}


def patient_search(house: House) -> Search:
    """A search of the runbooks that waits for a database that is away: no gap in a report for that."""

    async def search(*given: Any, **named: Any) -> Passages:
        return await house.database.again(lambda: house.index.search(*given, **named), house.settings.patience_seconds)

    return search
