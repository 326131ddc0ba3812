"""A pass of scripted models through the real graph: real hub, real recorded servers, real database."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from analysis.secrets.redaction import Redactor
from app.bootstrap import House
from app.replay import incident_of
from app.sources import recorded_servers
from bundle.bundle import open_bundle
from domain.codec import Json, to_plain
from domain.tool import Caller
from graph.build import build_graph
from graph.context import Budget, Work
from tests.acceptance.conftest import SHIPPED, Running, running  # noqa: F401
from tests.agents.scripted import ScriptedModel
from tools.call import Governance
from tools.hub import Hub
from tools.ledger import Ledger
from tools.read_back import SPEC, ReadBack
from tools.registry import grants
from tools.servers import Servers

NOTHING = AIMessage(json.dumps({"conclusion": "I found nothing."}))
BY = "tiny"


@dataclass
class Passed:
    """What a pass gave."""

    end: dict[str, Json]
    ledger: Ledger
    models: dict[str, ScriptedModel]


Pass = Callable[..., Passed]


@pytest.fixture
def model_pass(running: Running) -> Iterator[Pass]:  # noqa: F811
    """Runs a shipped incident with these answers by agent; an agent without any finds nothing."""

    def run(answers: dict[str, list[Any]], incident: str = "orders-api-slow", budget: Budget = Budget()) -> Passed:  # noqa: B008
        return running.runner.run(_passed(running.house(), SHIPPED / incident, answers, budget))

    yield run


async def _passed(house: House, path: Path, answers: dict[str, list[Any]], budget: Budget) -> Passed:
    models = {
        name: ScriptedModel(answers=answers.get(name, [NOTHING]), endless=name not in answers) for name in house.agents
    }
    now = datetime.now(UTC)
    with open_bundle(path) as bundle:
        servers = Servers(recorded_servers(bundle, house.index.search, house.index.read))
        try:
            registry, ledger = await servers.specs() | {SPEC.name: SPEC}, Ledger()
            named = {name: file.tools for name, file in house.agents.items()}
            granted = grants({**named, "root_cause": ("runbooks_search",), "report": ("metrics_range",)}, registry)
            source = ReadBack(ledger, registry, servers)
            hub = Hub(Governance(registry, granted, source, Redactor(b"key")), ledger)
            work = Work("i1", hub, registry, granted, house.agents, {BY: models}, house.knowledge, Caller(""), now,
                        lambda: now, budget=budget)  # fmt: skip
            start = {"incident": to_plain(incident_of(bundle)), "by": BY, "evidence": []}
            return Passed(await build_graph().ainvoke(start, context=work), ledger, models)
        finally:
            await servers.close()
