"""What an investigation with a model costs: prompt tokens, what views and filters leave of results, and our overhead.

    python -m bench.models [--runs 1] [--json FILE] [FOLDER ...]        default folder: incidents/

A scripted model on loopback makes the calls that the offline analyst made on the same incident, one a turn, reads
results as a model sees them, and concludes with what the analyst found. Tokens are counted by our own estimate. The
overhead is all time of the second pass beyond the model's: graph, hub, tools, checkpoints, logs and records.
"""

import argparse
import asyncio
import itertools
import json
import math
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic

import httpx2

from agents.gateway.build import gateway
from agents.gateway.tier import Tier
from app.bootstrap import House, open_house
from app.heart import Heart
from app.models import Log, Models
from app.replay import incident_of, replay
from app.settings import load_settings
from app.worker import Desk, work
from bundle.bundle import open_bundle
from domain.model_call import CallRecord
from store import incidents, investigations, model_calls
from tests.models.gateways import Keys
from tests.models.mimic import Mimic
from tests.models.server import scripted

LARGE = 20_000  # characters of a raw result from which on it must be cut
OPEN = {"source_filters": False, "views_and_budgets": False}
BARS = {
    "prompt_tokens_median": 25_000, "prompt_tokens_p95": 60_000, "overhead_ms_a_call_median": 150,
    "overhead_s_median": 2.0,
}  # fmt: skip
JOBS = itertools.count(1)  # stand for those of the queue


@dataclass(frozen=True)
class Measured:
    """One investigation with the scripted model."""

    incident: str
    prompt_tokens: int
    calls: int  # of the model
    left_out: int  # calls of the analyst's that the loop's limits left no room for
    raw: int  # characters of results over LARGE, without source filters, views and budgets
    shown: int  # of the same calls' results, as a model sees them
    agreement: str
    seconds: float  # of the second pass
    model_seconds: float  # from the first request that is open to the last that is answered, idle time left out

    @property
    def overhead(self) -> float:
        """Seconds beyond the model's."""
        return max(0.0, self.seconds - self.model_seconds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[Path("incidents")])
    parser.add_argument("--runs", type=int, default=1, help="Investigations of each incident.")
    parser.add_argument("--json", type=Path, help="Write all numbers there.")
    given = parser.parse_args()
    paths = sorted(p.parent for folder in given.folders for p in folder.rglob("incident.yaml")) * given.runs
    if not paths:
        raise SystemExit(f"no bundle below {', '.join(map(str, given.folders))}")
    measured = asyncio.run(_measured(paths))
    for one in measured:
        print(f"{one.incident:40} {one.prompt_tokens:7} tokens, {one.calls:3} calls ({one.left_out} left out), "
              f"{one.overhead:6.2f} s overhead, {one.agreement}")  # fmt: skip
    found = numbers(measured)
    print("\n".join(f"{name}: {value:g}{_bar(name, value)}" for name, value in found.items()))
    if given.json:
        given.json.write_text(json.dumps({"numbers": found, "incidents": [asdict(one) for one in measured]}, indent=2))


async def _measured(paths: Sequence[Path]) -> list[Measured]:
    with tempfile.TemporaryDirectory(prefix="fb-bench-") as folder:
        async with open_house(load_settings(data=folder)) as house:
            await replay(house, open_bundle(paths[0]))  # the first one loads what all share
            return [await one_incident(house, path) for path in paths]


async def one_incident(house: House, path: Path) -> Measured:
    """The incident through a worker: the analyst's report, then the model's pass as its own investigation."""
    with open_bundle(path) as bundle:
        outcome = await replay(house, bundle)
        whole = await replay(replace(house, settings=house.settings.model_copy(update=OPEN)), bundle)
        incident = incident_of(bundle)  # its id keys the redaction: it must be that of the analyst's run
    mimic = Mimic.of(outcome, house.agents)
    async with scripted(then=mimic) as server, httpx2.AsyncClient() as client:
        log = Log(house.database, 60.0)
        tier = Tier("fast", server.url, "scripted", "vllm", window=32_768)
        made = gateway(tier, Keys(), log, client, {})
        with_model = replace(
            house, models=Models({"fast": made}, {}, dict.fromkeys(house.agents, made)),
            settings=house.settings.model_copy(update={"evidence": path}),
        )  # fmt: skip
        async with house.database.connection() as connection, connection.transaction():
            await incidents.save(connection, incident)
        seconds = await _both_passes(with_model, incident.id)
    shown = {e.result.call_id: len(e.result.text) for e in outcome.entries}
    raw = {e.result.call_id: len(e.result.text) for e in whole.entries if len(e.result.text) > LARGE}
    cut = sum(raw.values()), sum(shown.get(call_id, 0) for call_id in raw)
    return await _counted(house, incident.id, path.name, mimic, seconds, cut)


async def _both_passes(house: House, incident: str) -> float:
    """Seconds that the second pass took, from its job to its report in the database."""
    with Heart(house.database, house.settings) as heart:
        desk = Desk(house, heart, asyncio.Event())
        await work(desk, incident, next(JOBS))
        async with house.database.connection() as connection:
            first = (await investigations.of_incident(connection, incident))[0]
        begun = monotonic()
        await work(desk, incident, next(JOBS), first.id)
        return monotonic() - begun


async def _counted(
    house: House, incident: str, name: str, mimic: Mimic, seconds: float, cut: tuple[int, int]
) -> Measured:
    async with house.database.connection() as connection:
        second = (await investigations.of_incident(connection, incident))[0]
        made = await model_calls.of_investigation(connection, second.id)
        row = await (await connection.execute(
            "select report from report where investigation = %s", (second.id,)
        )).fetchone()  # fmt: skip
    report = row["report"] if row else {}
    return Measured(
        name, sum(record.prompt_tokens for record in made), len(made),
        sum(len(calls) for calls in mimic.calls.values()) - sum(mimic.made.values()),
        *cut, str((report.get("comparison") or {}).get("agreement", "no second opinion")), seconds, _busy(made),
    )  # fmt: skip


def _busy(made: Sequence[CallRecord]) -> float:
    """Seconds in which at least one request was open: agents ask side by side."""
    spans = sorted((record.started_at.timestamp(), record.started_at.timestamp() + record.seconds) for record in made)
    busy, until = 0.0, 0.0
    for start, end in spans:
        busy += max(0.0, end - max(start, until))
        until = max(until, end)
    return busy


def numbers(measured: Sequence[Measured]) -> dict[str, float]:
    """The figures by name."""
    tokens = [one.prompt_tokens for one in measured]
    a_call = [1000 * one.overhead / one.calls for one in measured if one.calls]
    raw = sum(one.raw for one in measured)
    return {
        "investigations": len(measured),
        "prompt_tokens_median": statistics.median(tokens),
        "prompt_tokens_p95": _p95(tokens),
        "model_calls_median": statistics.median([one.calls for one in measured]),
        "calls_left_out": sum(one.left_out for one in measured),
        "agree_on_cause": sum(one.agreement == "cause" for one in measured),
        "large_results_cut": round(1 - sum(one.shown for one in measured) / raw, 4) if raw else 0.0,
        "overhead_ms_a_call_median": round(statistics.median(a_call), 1),
        "overhead_ms_a_call_p95": round(_p95(a_call), 1),
        "overhead_s_median": round(statistics.median([one.overhead for one in measured]), 3),
        "overhead_s_p95": round(_p95([one.overhead for one in measured]), 3),
    }


def _p95(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return float(ordered[min(len(ordered) - 1, math.ceil(0.95 * len(ordered)) - 1)])


def _bar(name: str, value: float) -> str:
    bar = BARS.get(name)
    return "" if bar is None else f" (bar: {bar:g}{'' if value <= bar else ', MISSED'})"


if __name__ == "__main__":
    main()
