"""Live containers over a real dockerd: a container that is OOM-killed, one that crash-loops, their logs and changes."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from domain.results import Changes, Facts, Lines, TextSources, Topology
from mcp_servers.changes import changes
from mcp_servers.containers import containers
from mcp_servers.live.changes import LiveChanges
from mcp_servers.live.containers import LiveContainers, names_by_id
from mcp_servers.live.engine import Engine
from mcp_servers.live.host import LiveHost
from mcp_servers.live.logs import LiveLogs
from mcp_servers.live.topology import LiveTopology
from mcp_servers.live.watch import Watch
from mcp_servers.logs import logs
from mcp_servers.topology import topology
from tests.mcp_servers.live.ask import ask
from tests.mcp_servers.live.engine import IMAGE, running_engine

WATCH = Watch("vm1", back=timedelta(minutes=10))


@dataclass(frozen=True)
class Troubled:
    """An engine with four containers in it."""

    engine: Engine
    api: Any


@pytest.fixture(scope="module")
def troubled() -> Iterator[Troubled]:
    with running_engine() as api:
        _run(api, "eater", "tail /dev/zero", mem_limit="16m", memswap_limit="16m")
        _run(api, "looper", "echo starting; echo 'ERROR: cannot open config' >&2; exit 3", restart="always")
        labels = {"com.docker.compose.service": "web", "com.docker.compose.depends_on": "db:service_started:false"}
        _run(api, "shop-web", "echo 2026-01-01T10:00:00Z INFO up; exec sleep 600", labels=labels)
        _run(api, "shop-db", "exec sleep 600", labels={"com.docker.compose.service": "db"})
        _until(lambda: api.inspect_container("eater")["State"]["Status"] == "exited")
        _until(lambda: api.inspect_container("looper")["RestartCount"] >= 3)
        engine = Engine(api.fishbone_socket)
        yield Troubled(engine, api)
        engine.close()


def _run(
    api: Any, name: str, script: str, *, labels: dict[str, str] | None = None, restart: str = "", **limits: str
) -> None:
    config = api.create_host_config(
        network_mode="none", restart_policy={"Name": restart} if restart else None, init=not limits, **limits
    )
    made = api.create_container(IMAGE, ["sh", "-c", script], name=name, host_config=config, labels=labels or {})
    api.start(made["Id"])


def _until(done: Any, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "the container did not get there"
        time.sleep(0.1)


async def test_a_container_that_is_oom_killed_is_told_with_exit_code_and_limit(troubled: Troubled) -> None:
    found = await ask(containers(LiveContainers(troubled.engine, WATCH)), Facts, "containers_inspect", name="eater")
    (fact,) = found.facts
    told = fact.attributes
    assert (fact.entity, fact.kind) == ("container:eater", "container")
    assert (told["exit_code"], told["oom_killed"], told["memory_limit"]) == (137, True, 16 << 20)
    assert found.searched.problems == () and fact.quote is None


async def test_a_crash_loop_is_told_by_its_state_and_its_events(troubled: Troubled) -> None:
    server = containers(LiveContainers(troubled.engine, WATCH))
    listed = await ask(server, Facts, "containers_list")
    looper = next(fact for fact in listed.facts if fact.entity == "container:looper")
    assert int(str(looper.attributes["restart_count"])) >= 3 and "env" not in looper.attributes
    events = await ask(server, Facts, "containers_events")
    died = [f for f in events.facts if f.entity == "container:looper" and f.attributes["reason"] == "die"]
    assert len(died) >= 3 and died[0].attributes["exit_code"] == 3
    assert any(f.entity == "container:eater" and f.attributes["reason"] == "oom" for f in events.facts)
    times = [fact.at for fact in events.facts if fact.at]
    assert times == sorted(times)


async def test_stats_of_what_runs_stand_beside_the_limit(troubled: Troubled) -> None:
    found = await ask(containers(LiveContainers(troubled.engine, WATCH)), Facts, "containers_stats")
    web = next(fact for fact in found.facts if fact.entity == "container:shop-web")
    assert web.attributes["memory_usage"] and "state" not in web.attributes
    assert not any(fact.entity == "container:eater" for fact in found.facts)


async def test_container_logs_are_text_sources_and_lines_without_a_stamp_keep_the_engines(troubled: Troubled) -> None:
    server = logs(LiveLogs((), troubled.engine, "off", WATCH))
    listed = await ask(server, TextSources, "logs_list")
    assert {"container/looper", "container/shop-web"} <= {source.name for source in listed.sources}
    found = await ask(server, Lines, "logs_search", sources=["container/looper"], grep="cannot open config", tail_n=1)
    (line,) = found.lines
    assert line.source == "container/looper" and line.at is not None and line.level == "error"
    own = await ask(server, Lines, "logs_search", sources=["container/shop-web"])
    assert [each.text for each in own.lines] == ["2026-01-01T10:00:00Z INFO up"]


async def test_the_topology_comes_from_compose_labels(troubled: Troubled) -> None:
    found = await ask(topology(LiveTopology(troubled.engine, WATCH)), Topology, "topology_edges")
    assert ("shop-web", "db") in {(edge.caller, edge.callee) for edge in found.edges}
    assert found.runs_on["shop-db"] == "vm1"


async def test_a_new_container_is_a_change_and_the_starts_of_a_crash_loop_are_none(troubled: Troubled) -> None:
    source = LiveChanges(troubled.engine, WATCH, Path("/nonexistent"))
    found = await ask(changes(source), Changes, "changes_before", moment=WATCH.end.isoformat(), minutes=10)
    assert [c.summary for c in found.changes if c.entity == "looper"] == [f"container looper: create (image {IMAGE})"]


def test_the_limits_of_groups_and_the_kernels_news_name_the_container_and_its_process(troubled: Troubled) -> None:
    found = LiveHost(WATCH, lambda: names_by_id(troubled.engine)).snapshot(["limit", "kernel"])
    troubled.api.update_container("shop-web", mem_limit="64m", memswap_limit="64m")
    limited = LiveHost(WATCH, lambda: names_by_id(troubled.engine)).snapshot(["limit"]).facts
    assert any(f.entity == "container:shop-web" and f.attributes.get("hard") == 64 << 20 for f in limited)
    if any(problem.startswith("dmesg") for problem in found.searched.problems):
        pytest.skip(f"the kernel's messages may not be read here: {found.searched.problems}")
    killed = [f for f in found.facts if f.kind == "kernel" and f.attributes["event"] == "oom_kill"]
    assert any(f.attributes.get("process") == "tail" and f.attributes["constraint"] == "memcg" for f in killed)


def test_an_engine_that_went_away_is_a_problem_not_a_crash() -> None:
    source = LiveContainers(Engine("unix:///nonexistent/docker.sock"), WATCH)
    for found in (source.list(), source.inspect(None), source.events(None, None), source.stats()):
        assert found.facts == () and found.searched.matched == 0
        assert any("docker" in problem for problem in found.searched.problems)


async def test_an_engine_that_hangs_is_a_problem_well_before_the_tools_time_out(troubled: Troubled) -> None:
    engine = Engine(troubled.api.fishbone_socket, seconds=1.0)
    source, texts = LiveContainers(engine, WATCH), LiveLogs((), engine, "off", WATCH)
    assert source.list().facts and texts.names()
    os.kill(troubled.api.fishbone_pid, signal.SIGSTOP)
    try:
        begun = time.monotonic()
        listed = await ask(containers(source), Facts, "containers_inspect")
        found = await ask(logs(texts), Lines, "logs_search", grep="x")
        took = time.monotonic() - begun
    finally:
        os.kill(troubled.api.fishbone_pid, signal.SIGCONT)
    assert listed.facts == () and listed.searched.problems and found.searched.problems
    assert took < 15
    engine.close()
