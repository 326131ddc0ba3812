"""Where an investigation's evidence comes from: this machine and its neighbours, or a recorded incident in a drill."""

from collections.abc import Callable, Mapping

from app.bootstrap import House
from app.sources import recorded_servers
from bundle.bundle import open_bundle
from domain.alert import Incident
from tools.servers import Target

Targets = Callable[[House, Incident], Mapping[str, Target]]


def targets(house: House, incident: Incident) -> Mapping[str, Target]:
    """The servers to ask about this incident, by name."""
    if house.settings.evidence is not None:
        bundle = open_bundle(house.settings.evidence)
        return recorded_servers(bundle, house.index.search, house.index.read)
    raise NotImplementedError(incident.id)
