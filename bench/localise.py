"""How often the first and the first three suspects of the metric agent are right, over folders of bundles.

    python -m bench.localise FOLDER [SET ...] [-l] [-v]

With -l the log agent's new errors are fused in; -v tells what was missed. FOLDER holds sets, a set holds bundles.
 Names are compared as a whole, in small letters, with those in expected.yaml.
"""

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from mcp import Client
from mcp.server.mcpserver import MCPServer

from agents.offline import log, metric
from agents.tactic import Observation, Step, ToolCalls
from alerts import receive
from alerts.entities import entities
from analysis.lines.timestamps import format_time
from analysis.measured.fusion import fuse
from bundle.bundle import Bundle, open_bundle
from domain.entity import name_of
from domain.evidence import Evidence
from domain.plan import Task
from mcp_servers.logs import logs
from mcp_servers.metrics import metrics
from mcp_servers.recorded.logs import RecordedLogs
from mcp_servers.recorded.metrics import RecordedMetrics
from mcp_servers.recorded.topology import RecordedTopology
from mcp_servers.recorded.traces import RecordedTraces
from mcp_servers.topology import topology
from mcp_servers.traces import traces


async def _observe(servers: dict[str, MCPServer], asked: ToolCalls, since: int) -> tuple[Observation, ...]:
    """What our own servers answer over real MCP sessions, as the hub would hand it to a tactic."""
    seen = []
    for number, call in enumerate(asked.calls, since):
        async with Client(servers[call.tool.partition("_")[0]]) as client:
            answer = await client.call_tool(call.tool, call.arguments)
        status = "error" if answer.is_error else "ok"
        seen.append(Observation(f"call.{number}", call.tool, call.arguments, status, answer.structured_content))
    return tuple(seen)


def _servers(bundle: Bundle) -> dict[str, MCPServer]:
    return {
        "logs": logs(RecordedLogs(bundle)),
        "metrics": metrics(RecordedMetrics(bundle)),
        "traces": traces(RecordedTraces(bundle)),
        "topology": topology(RecordedTopology(bundle)),
    }


def _task(bundle: Bundle, agent: str) -> Task:
    received = receive(bundle.alert, bundle.now).alerts
    about = tuple(dict.fromkeys(entity for alert in received for entity in entities(alert)))
    fired = format_time(bundle.fired_at)
    return Task(agent, bundle.id, bundle.title, received, about, bundle.window, fired, bundle.timezone, (), ())


def conclude(bundle: Bundle, agent: str, step: Step) -> Evidence:
    """What an agent hands back for one bundle, without runbooks."""
    task, servers = _task(bundle, agent), _servers(bundle)
    seen: tuple[Observation, ...] = ()
    while isinstance(asked := step(task, seen, ()), ToolCalls):
        seen += asyncio.run(_observe(servers, asked, len(seen)))
    return asked


def ranked(folder: Path, with_logs: bool) -> list[str]:
    """Names of the suspects, the likeliest first."""
    bundle = open_bundle(folder)
    found = conclude(bundle, "metric", metric.step)
    if not with_logs:
        ordered = sorted(found.findings, key=lambda finding: -finding.weight)
        return list(dict.fromkeys(name_of(finding.entity).casefold() for finding in ordered))
    logged = conclude(bundle, "log", log.step)
    return [name.casefold() for name, _ in fuse((*found.findings, *logged.findings), found.edges)]


def _grade(folder: Path, told: bool, with_logs: bool) -> int:
    """The place of the first right name, from 0; 99 where there is none."""
    truth: dict[str, Any] = yaml.safe_load((folder / "expected.yaml").read_text())
    names, right = ranked(folder, with_logs), [name.casefold() for name in truth["entities"]]
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
    paths = [argument for argument in arguments if argument not in ("-v", "-l")]
    if not paths or not Path(paths[0]).is_dir():
        print(f"skipped: no folder of sets at {paths[0] if paths else '(none given)'}")
        return 0
    root = Path(paths[0])
    for of_set in [root / name for name in paths[1:]] or sorted(path for path in root.iterdir() if path.is_dir()):
        started = time.perf_counter()
        places = [_grade(folder, told, "-l" in arguments) for folder in _bundles(of_set)] if of_set.is_dir() else []
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
