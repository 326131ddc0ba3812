"""How often the first and the first three suspects of the metric agent are right, over folders of bundles.

    python -m bench.localise FOLDER [SET ...] [-v]

FOLDER holds sets, a set holds bundles. Names are compared as a whole, in small letters, with those in expected.yaml.
"""

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from mcp import Client

from agents.offline.metric import step
from agents.tactic import Observation, ToolCalls
from alerts import receive
from alerts.entities import entities
from bundle.bundle import Bundle, open_bundle
from domain.entity import name_of
from domain.evidence import Evidence
from domain.plan import Task
from mcp_servers.metrics import metrics
from mcp_servers.recorded.metrics import RecordedMetrics
from mcp_servers.recorded.topology import RecordedTopology
from mcp_servers.recorded.traces import RecordedTraces
from mcp_servers.topology import topology
from mcp_servers.traces import traces


async def _observe(bundle: Bundle, asked: ToolCalls) -> tuple[Observation, ...]:
    """What our own servers answer over a real MCP session each, as the hub would hand it to the tactic."""
    servers = {
        "metrics": metrics(RecordedMetrics(bundle)),
        "traces": traces(RecordedTraces(bundle)),
        "topology": topology(RecordedTopology(bundle)),
    }
    seen = []
    for number, call in enumerate(asked.calls, 1):
        async with Client(servers[call.tool.partition("_")[0]]) as client:
            answer = await client.call_tool(call.tool, call.arguments)
        status = "error" if answer.is_error else "ok"
        seen.append(Observation(f"metric.{number}", call.tool, call.arguments, status, answer.structured_content))
    return tuple(seen)


def conclude(folder: Path) -> Evidence:
    """What the metric agent hands back for one bundle, without runbooks."""
    bundle = open_bundle(folder)
    received = receive(bundle.alert, bundle.now).alerts
    about = tuple(dict.fromkeys(entity for alert in received for entity in entities(alert)))
    fired = bundle.fired_at.isoformat()
    task = Task("metric", bundle.id, bundle.title, received, about, bundle.window, fired, bundle.timezone, (), ())
    asked = step(task, (), ())
    assert isinstance(asked, ToolCalls)
    found = step(task, asyncio.run(_observe(bundle, asked)), ())
    assert isinstance(found, Evidence)
    return found


def ranked(evidence: Evidence) -> list[str]:
    """Names of the suspects, the heaviest finding first."""
    ordered = sorted(evidence.findings, key=lambda finding: -finding.weight)
    return list(dict.fromkeys(name_of(finding.entity).casefold() for finding in ordered))


def _grade(folder: Path, told: bool) -> int:
    """The place of the first right name, from 0; 99 where there is none."""
    truth: dict[str, Any] = yaml.safe_load((folder / "expected.yaml").read_text())
    names, right = ranked(conclude(folder)), [name.casefold() for name in truth["entities"]]
    place = next((at for at, name in enumerate(names) if name in right), 99)
    if told and place:
        print(f"  {folder.name}: {right[0]} at {place}; said {', '.join(names[:3])}")
    return place


def _bundles(of_set: Path) -> Iterator[Path]:
    for folder in sorted(of_set.iterdir()):
        truth = folder / "expected.yaml"
        if truth.is_file() and yaml.safe_load(truth.read_text()).get("match") == "exact":
            yield folder


def main(arguments: list[str]) -> int:
    """Prints a line per set; 0 also when the folder is absent, with a word about it."""
    told = "-v" in arguments
    paths = [argument for argument in arguments if argument != "-v"]
    if not paths or not Path(paths[0]).is_dir():
        print(f"skipped: no folder of sets at {paths[0] if paths else '(none given)'}")
        return 0
    root = Path(paths[0])
    for of_set in [root / name for name in paths[1:]] or sorted(path for path in root.iterdir() if path.is_dir()):
        started = time.perf_counter()
        places = [_grade(folder, told) for folder in _bundles(of_set)] if of_set.is_dir() else []
        if not places:
            print(f"{of_set.name}: skipped, no bundles with match: exact")
            continue
        tops = [sum(place < top for place in places) / len(places) for top in range(1, 6)]
        each = (time.perf_counter() - started) / len(places)
        print(
            f"{of_set.name}: n {len(places)} top-1 {tops[0]:.2f} top-3 {tops[2]:.2f} "
            f"Avg@5 {sum(tops) / 5:.2f} {each:.2f} s each"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
