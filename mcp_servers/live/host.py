"""The machine as it is now: psutil, /proc and /sys, the kernel's messages."""

import time
from collections.abc import Callable, Mapping
from typing import Final

import psutil

from domain.errors import ToolTimeout, ToolUnavailable
from domain.facts import Fact
from domain.results import Facts
from mcp_servers.fact_kinds import HOST
from mcp_servers.live import kernel
from mcp_servers.live.answer import answer
from mcp_servers.live.cgroups import cgroup_facts
from mcp_servers.live.filesystems import filesystem_facts
from mcp_servers.live.machine import SECONDS, look, machine_facts
from mcp_servers.live.processes import process_facts
from mcp_servers.live.watch import Watch

Part = Callable[[list[str]], list[Fact]]
_SAMPLED: Final = frozenset({"memory", "load", "cpu", "pressure", "disk", "process", "limit"})


def nobody() -> Mapping[str, str]:
    """No container is known by name."""
    return {}


class LiveHost:
    """Asks every part for itself: one that cannot be read is a problem and hides nothing else."""

    def __init__(self, watch: Watch, containers: Callable[[], Mapping[str, str]] = nobody) -> None:
        self._watch, self._containers = watch, containers

    def snapshot(self, kinds: list[str] | None) -> Facts:
        """Facts of these kinds, or of all that are about the machine."""
        wanted = HOST & frozenset(kinds) if kinds else HOST
        problems: list[str] = []
        facts: list[Fact] = []
        for about, part in self._parts():
            if about & wanted:
                facts += _read(part, problems)
        kept = [fact for fact in facts if fact.kind in wanted]
        return answer(kept, self._watch, self._watch.host, problems, f"kinds={','.join(kinds)}" if kinds else "")

    def _parts(self) -> tuple[tuple[frozenset[str], Part], ...]:
        """What each part is about, and how it is read."""
        watch, context = self._watch, self._watch.context("host")
        return (
            (_SAMPLED, lambda _: self._sampled()),
            (frozenset({"filesystem"}), lambda problems: filesystem_facts(context, problems)),
            (frozenset({"limit", "kernel", "cpu"}), lambda _: cgroup_facts(context, self._containers())),
            (frozenset({"setting"}), lambda _: list(kernel.settings(context))),
            (frozenset({"limit"}), lambda _: list(kernel.limits(context))),
            (frozenset({"kernel"}), lambda _: kernel.messages(watch)),
            (frozenset({"unit"}), lambda _: kernel.failed_units(watch)),
        )

    def _sampled(self) -> list[Fact]:
        context = self._watch.context("host")
        before = look()
        time.sleep(SECONDS)
        now = look()
        return [*machine_facts(before, now, context), *process_facts(before, now, context, time.time())]


def _read(part: Part, problems: list[str]) -> list[Fact]:
    try:
        return part(problems)
    except (ToolUnavailable, ToolTimeout) as exc:
        problems.append(str(exc))
    except (OSError, psutil.Error, ValueError) as exc:
        problems.append(f"host: {type(exc).__name__}: {exc}")
    return []
