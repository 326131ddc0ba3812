"""Processes of the machine: the busiest and the largest, zombies counted, and who nears its limit of open files.

Our own are left out: what an investigation costs is no symptom of what it looks at.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, Final

import psutil

from analysis.captures.context import Context, safe_entity
from domain.facts import Fact
from mcp_servers.live.machine import Looked

MOST: Final = 60  # processes told one by one, by memory and as many by CPU
_MANY: Final = 5  # of one program are counted besides
_INTERPRETER: Final = re.compile(r"(?:python|php|perl|ruby|node|java|bash|dash|sh)[\d.]*")  # names of no program
_OURS: Final = "from app.cli import main"  # how `serve` and the tests start a command
_NEAR: Final = 0.5  # share of a limit from which it is told
_STATES: Final = {
    psutil.STATUS_RUNNING: "R", psutil.STATUS_SLEEPING: "S", psutil.STATUS_DISK_SLEEP: "D",
    psutil.STATUS_STOPPED: "T", psutil.STATUS_ZOMBIE: "Z", psutil.STATUS_IDLE: "I",
}  # fmt: skip
_ASKED: Final = [
    "pid", "ppid", "name", "username", "status", "cmdline", "memory_info", "memory_percent", "create_time",
    "num_threads", "num_fds",
]  # fmt: skip


def process_facts(before: Looked, now: Looked, context: Context, host_now: float) -> list[Fact]:
    """Facts of processes; those that end meanwhile are left out."""
    found = [one.info for one in psutil.process_iter(_ASKED) if not is_ours(one.info["cmdline"] or ())]
    for info in found:
        info["cpu"] = _percent(info["pid"], before, now)
    by_memory = sorted(found, key=lambda i: -_rss(i))[:MOST]
    by_cpu = sorted((i for i in found if i["cpu"]), key=lambda i: -i["cpu"])[:MOST]
    stuck = [i for i in found if i["status"] in (psutil.STATUS_DISK_SLEEP, psutil.STATUS_STOPPED)][:MOST]
    told = {i["pid"]: i for i in (*by_memory, *by_cpu, *stuck)}
    facts = [_fact(info, context, host_now) for _, info in sorted(told.items())]
    return [*facts, *_counted(found, context), *_near_limits(found, context)]


def _percent(pid: int, before: Looked, now: Looked) -> float:
    spent = now.processes.get(pid, 0.0) - before.processes.get(pid, now.processes.get(pid, 0.0))
    return round(100 * max(spent, 0.0) / max(now.at - before.at, 1e-3), 1)


def _rss(info: dict[str, Any]) -> int:
    return info["memory_info"].rss if info["memory_info"] else 0


def _fact(info: dict[str, Any], context: Context, host_now: float) -> Fact:
    memory = info["memory_info"]
    return context.fact(
        "process",
        safe_entity("process", info["name"]),
        None,
        pid=info["pid"],
        ppid=info["ppid"],
        user=info["username"],
        state=_state(info),
        cpu_percent=info["cpu"],
        memory_percent=None if info["memory_percent"] is None else round(info["memory_percent"], 1),
        rss=memory.rss if memory else None,
        vsz=memory.vms if memory else None,
        command=_command(info),
        elapsed_seconds=round(host_now - info["create_time"]) if info["create_time"] else None,
        threads=info["num_threads"],
        open_files=info["num_fds"],
    )


def _state(info: dict[str, Any]) -> str:
    return _STATES.get(info["status"], str(info["status"] or ""))


def _command(info: dict[str, Any]) -> str:
    return " ".join(info["cmdline"] or [])[:500] or f"[{info['name']}]"


def is_ours(words: Sequence[str]) -> bool:
    """Whether a command line is one of fishbone's: the script, alone or after its interpreter, or a worker."""
    return any(PurePath(word).name == "fishbone" for word in words[:2]) or any(_OURS in word for word in words[1:3])


def _counted(found: list[dict[str, Any]], context: Context) -> Iterator[Fact]:
    """Zombies by name, and programs that run many times. A server with its forked workers runs once."""
    zombies = Counter(info["name"] for info in found if info["status"] == psutil.STATUS_ZOMBIE)
    for name, count in sorted(zombies.items()):
        yield context.fact("process", safe_entity("process", name), None, command=name, state="Z", count=count)
    programs = {info["pid"]: (info["name"], _program(info)) for info in found}
    many = Counter(one for info in found if (one := programs[info["pid"]]) != programs.get(info["ppid"]))
    for (name, program), count in sorted(many.items()):
        if count >= _MANY:
            yield context.fact("process", safe_entity("process", name), None, command=program, count=count)


def _program(info: dict[str, Any]) -> str:
    """The name; of an interpreter also what it runs."""
    if not _INTERPRETER.fullmatch(info["name"]):
        return str(info["name"])
    script = next((word for word in (info["cmdline"] or [])[1:] if not word.startswith("-")), "")
    return f"{info['name']} {' '.join(script.split())}".strip()[:100]


def _near_limits(found: list[dict[str, Any]], context: Context) -> Iterator[Fact]:
    """Processes that use much of the open files they may have."""
    for info in found:
        if not info["num_fds"] or info["num_fds"] < 100:
            continue
        try:
            soft, hard = psutil.Process(info["pid"]).rlimit(psutil.RLIMIT_NOFILE)
        except (psutil.Error, OSError):
            continue
        if 0 < soft * _NEAR <= info["num_fds"]:
            yield context.fact(
                "limit", safe_entity("process", info["name"]), None, name="Max open files", soft=soft, hard=hard,
                used=info["num_fds"], pid=info["pid"],
            )  # fmt: skip
