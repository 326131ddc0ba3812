"""The live machine: psutil and /proc against what they themselves say, control groups of both versions, hung mounts."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from analysis.captures.context import Context
from domain.facts import FACTS, attributes_of
from domain.results import Facts
from mcp_servers.host import host
from mcp_servers.live import kernel
from mcp_servers.live.bounded import each_within
from mcp_servers.live.cgroups import cgroup_facts
from mcp_servers.live.filesystems import filesystem_facts
from mcp_servers.live.host import LiveHost
from mcp_servers.live.machine import pressure
from mcp_servers.live.processes import is_ours
from mcp_servers.live.watch import Watch
from tests.mcp_servers.live.ask import ask

WATCH = Watch("vm1")
GROUP = "system.slice/nginx.service"
CONTAINER = "docker/" + "9f2c4f6b1d0e" + "0" * 52


async def test_every_fact_has_a_kind_of_the_host_and_known_attributes() -> None:
    found = await ask(host(LiveHost(WATCH)), Facts, "host_snapshot")
    kinds = {fact.kind for fact in found.facts}
    assert {"memory", "load", "cpu", "filesystem", "process", "setting", "limit"} <= kinds
    for fact in found.facts:
        assert fact.kind in FACTS and set(fact.attributes) <= attributes_of(fact.kind), fact


async def test_the_root_file_system_and_the_memory_are_as_the_machine_says() -> None:
    found = await ask(host(LiveHost(WATCH)), Facts, "host_snapshot", kinds=["filesystem", "memory"])
    root = next(fact for fact in found.facts if fact.attributes.get("mount") == "/")
    seen = os.statvfs("/")
    assert root.entity == "disk:/" and root.attributes["size"] == seen.f_blocks * seen.f_frsize
    memory = next(fact for fact in found.facts if fact.kind == "memory")
    assert (memory.entity, memory.attributes["total"]) == ("host:vm1", psutil.virtual_memory().total)
    assert {fact.kind for fact in found.facts} == {"filesystem", "memory"}


def test_our_own_processes_are_no_evidence() -> None:
    ours = (
        ["/srv/.venv/bin/python", "/srv/.venv/bin/fishbone", "serve"], ["fishbone", "worker"],
        ["/usr/bin/python3", "-c", "from app.cli import main; main()", "worker"],
    )  # fmt: skip
    assert all(is_ours(words) for words in ours)
    assert not any(
        is_ours(words) for words in (["nginx"], ["tail", "-f", "/var/log/fishbone"], ["vi", "a", "fishbone"])
    )


def test_copies_are_counted_by_what_an_interpreter_runs_and_a_pool_is_one() -> None:
    many = [subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)#job"]) for _ in range(5)]
    others = [subprocess.Popen([sys.executable, "-c", f"import time; time.sleep(60)#other{n}"]) for n in range(5)]
    forks = "import os, time; [os.fork() or time.sleep(60) for _ in range(6)]; time.sleep(60)#pool"
    pool = subprocess.Popen([sys.executable, "-c", forks], start_new_session=True)
    try:
        time.sleep(0.5)
        counted = [fact for fact in LiveHost(WATCH).snapshot(["process"]).facts if fact.attributes.get("count")]
    finally:
        os.killpg(pool.pid, signal.SIGKILL)
        for each in (*many, *others, pool):
            each.kill()
            each.wait()
    told = {str(fact.attributes["command"]): fact.attributes["count"] for fact in counted}
    assert [told[command] for command in told if command.endswith("#job")] == [5]
    assert not [command for command in told if "#other" in command or "#pool" in command]


def test_a_busy_process_and_a_zombie_are_told() -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    dead = subprocess.Popen([sys.executable, "-c", ""])  # not waited for: a zombie
    try:
        time.sleep(0.3)
        found = LiveHost(WATCH).snapshot(["process"])
    finally:
        busy.kill()
        busy.wait()
        dead.wait()
    mine = next(fact for fact in found.facts if fact.attributes.get("pid") == busy.pid)
    assert float(str(mine.attributes["cpu_percent"])) > 1 and "while True" in str(mine.attributes["command"])
    assert any(fact.attributes.get("state") == "Z" and fact.attributes.get("count") for fact in found.facts)


def test_pressure_is_read_and_a_kernel_without_it_has_none(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text(
        "some avg10=12.50 avg60=3.00 avg300=0.00 total=6302\nfull avg10=1.50 avg60=0.25 avg300=0.00 total=2248\n"
    )
    (fact,) = pressure(Context(), tmp_path)
    told = fact.attributes
    assert (told["resource"], told["some10"], told["full60"]) == ("memory", 12.5, 0.25)
    assert list(pressure(Context(), tmp_path / "nothing")) == []


def write(root: Path, group: str, **files: str) -> None:
    folder = root / group
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def test_groups_of_version_two_tell_limits_kills_and_throttling(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids\n")
    write(tmp_path, GROUP, memory__max="104857600\n", memory__current="104857000\n", pids__max="max\n")
    write(tmp_path, GROUP, memory__events="low 0\noom 3\noom_kill 2\n")
    write(tmp_path, GROUP, cpu__stat="usage_usec 5\nnr_periods 100\nnr_throttled 80\nthrottled_usec 9\n")
    facts = cgroup_facts(Context(), {}, tmp_path)
    assert {fact.entity for fact in facts} == {"service:nginx"}
    assert [(f.kind, f.attributes.get("hard"), f.attributes.get("used")) for f in facts if f.kind == "limit"] == [
        ("limit", 104857600, 104857000)
    ]
    assert any(fact.attributes.get("event") == "cgroup_oom_kill" for fact in facts)
    assert any(fact.attributes.get("throttled_percent") == 80.0 for fact in facts)


def test_groups_of_version_one_name_the_container(tmp_path: Path) -> None:
    write(tmp_path, f"memory/{CONTAINER}", memory__limit_in_bytes="16777216\n", memory__usage_in_bytes="16000000\n")
    write(tmp_path, "memory", memory__limit_in_bytes=f"{(1 << 63) - 4096}\n", memory__usage_in_bytes="1\n")
    write(tmp_path, f"pids/{CONTAINER}", pids__max="100\n", pids__current="99\n")
    facts = cgroup_facts(Context(), {"9f2c4f6b1d0e": "shop-api"}, tmp_path)
    assert {(f.entity, f.attributes["name"], f.attributes["hard"]) for f in facts} == {
        ("container:shop-api", "memory.limit_in_bytes", 16777216),
        ("container:shop-api", "pids.max", 100),
    }


def test_settings_and_limits_come_from_proc_sys() -> None:
    settings = {str(fact.attributes["name"]): fact.attributes["value"] for fact in kernel.settings(Context())}
    assert settings["kernel.pid_max"] == int(Path("/proc/sys/kernel/pid_max").read_text())
    names = {fact.attributes["name"] for fact in kernel.limits(Context())}
    assert {"fs.file-max", "kernel.pid_max"} <= names


def test_a_part_that_hangs_is_left_behind_and_hides_nothing_else() -> None:
    problems: list[str] = []
    begun = time.monotonic()
    found = each_within(0.3, ["/", "/mnt/nfs"], lambda mount: f"filesystem {mount}", _asked, problems)
    assert found == ["/"] and problems == ["filesystem /mnt/nfs: gave no answer in time"]
    assert time.monotonic() - begun < 2


def _asked(mount: str) -> str:
    if mount != "/":
        time.sleep(3)
    return mount


def test_a_file_system_that_another_covers_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.statvfs

    def covered(path: str) -> os.statvfs_result:
        if path == "/":
            raise FileNotFoundError(2, "No such file or directory", path)
        return real(path)

    monkeypatch.setattr("os.statvfs", covered)
    problems: list[str] = []
    found = filesystem_facts(WATCH.context("host"), problems)
    assert found and all(fact.attributes["mount"] != "/" for fact in found)
    assert not any(problem.startswith("filesystem /: ") for problem in problems)
