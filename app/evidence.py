"""Where an investigation's evidence comes from: this machine and its neighbours, or a recorded incident in a drill."""

from collections.abc import Callable, Mapping
from typing import Any

from app.bootstrap import House
from app.sources import Search, recorded_servers
from bundle.bundle import open_bundle
from domain.alert import Incident
from domain.errors import BadConfiguration
from domain.results import Passages
from tools.servers import Target

Targets = Callable[[House, Incident], Mapping[str, Target]]


def targets(house: House, incident: Incident) -> Mapping[str, Target]:
    """The servers to ask about this incident, by name."""
    if house.settings.evidence is None:
        raise BadConfiguration(f"{incident.id}: no source of evidence is set up")
    return recorded_servers(open_bundle(house.settings.evidence), patient_search(house), house.index.read)


def patient_search(house: House) -> Search:
    """A search of the runbooks that waits for a database that is away: no gap in a report for that."""

    async def search(*given: Any, **named: Any) -> Passages:
        return await house.database.again(lambda: house.index.search(*given, **named), house.settings.patience_seconds)

    return search
