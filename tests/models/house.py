"""The whole house with a model in it: a tier of the scripted server, over the real database."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.bootstrap import House
from app.investigation import Outcome, Second
from app.replay import replay, write
from bundle.bundle import open_bundle
from domain.codec import Json
from tests.acceptance.conftest import SHIPPED, Running
from tests.models.gateways import Bench, bench
from tests.models.mimic import Mimic
from tests.models.server import Behaviour, Scripted, scripted

INCIDENT = SHIPPED / "edge-502"


@dataclass
class Asked:
    """What a run with a model gave."""

    outcome: Outcome
    bench: Bench
    server: Scripted

    @property
    def report(self) -> dict[str, Json]:
        return self.outcome.document

    @property
    def gaps(self) -> str:
        """All gaps, a line each."""
        return "\n".join(f"{gap['what']}: {gap['why']}" for gap in self.report["gaps"])


async def with_model(
    house: House,
    path: Path,
    *behaviours: Behaviour,
    then: Behaviour | None = None,
    out: Path | None = None,
    **tier: Any,
) -> Asked:
    """A replay of the bundle with the scripted server as its model."""
    async with scripted(*behaviours, then=then) as server, bench(server.url, **tier) as made:
        second = Second("m1", dict.fromkeys(house.agents, made.gateway))
        with open_bundle(path) as bundle:
            outcome = await replay(house, bundle, second=second)
            if out is not None:
                write(outcome, bundle, house, out)
        return Asked(outcome, made, server)


def good_model(running: Running, path: Path = INCIDENT) -> Mimic:
    """What a good model would do with this incident."""
    return Mimic.of(running.replay(path), running.house().agents)
