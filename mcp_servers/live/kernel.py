"""What the kernel reports and how it is set: messages, settings, and the limits of the whole machine."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from analysis.captures import facts_of
from analysis.captures.context import Context
from domain.facts import Fact
from mcp_servers.live.bounded import output
from mcp_servers.live.watch import Watch

SYS: Final = Path("/proc/sys")
_SETTINGS: Final = (
    "fs.file-max", "fs.nr_open", "fs.inotify.max_user_watches", "fs.inotify.max_user_instances", "fs.aio-max-nr",
    "kernel.pid_max", "kernel.threads-max", "kernel.shmmax", "kernel.shmall", "kernel.sem", "kernel.panic",
    "kernel.hung_task_timeout_secs", "kernel.hostname", "kernel.osrelease",
    "vm.overcommit_memory", "vm.overcommit_ratio", "vm.swappiness", "vm.max_map_count", "vm.dirty_ratio",
    "vm.dirty_background_ratio", "vm.min_free_kbytes", "vm.panic_on_oom", "vm.nr_hugepages",
    "net.core.somaxconn", "net.core.netdev_max_backlog", "net.core.rmem_max", "net.core.wmem_max",
    "net.ipv4.ip_forward", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_max_syn_backlog", "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_syncookies", "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_mem",
    "net.ipv4.conf.all.rp_filter", "net.ipv4.neigh.default.gc_thresh3", "net.netfilter.nf_conntrack_max",
    "net.ipv6.conf.all.disable_ipv6",
)  # fmt: skip


def settings(context: Context, root: Path = SYS) -> Iterator[Fact]:
    """The settings that faults turn on, where this kernel has them."""
    for name in _SETTINGS:
        if (text := _read(root / name.replace(".", "/"))) is not None:
            value = int(text) if text.isdigit() else text
            yield context.fact("setting", context.host, None, name=name, value=value, origin="/proc/sys")


def limits(context: Context, root: Path = SYS) -> Iterator[Fact]:
    """Open files, processes and tracked connections of the whole machine beside the most there may be."""
    files = (_read(root / "fs/file-nr") or "").split()
    if len(files) == 3:
        yield context.fact("limit", context.host, None, name="fs.file-max", used=int(files[0]), hard=int(files[2]))
    most = _read(root / "kernel/pid_max")
    if most:
        used = sum(name.isdigit() for name in os.listdir("/proc"))  # noqa: PTH208 - a name is all that is wanted
        yield context.fact("limit", context.host, None, name="kernel.pid_max", used=used, hard=int(most))
    tracked, tracked_most = (_read(root / f"net/netfilter/nf_conntrack_{end}") for end in ("count", "max"))
    if tracked and tracked_most:
        yield context.fact(
            "limit", context.host, None, name="nf_conntrack_max", used=int(tracked), hard=int(tracked_most)
        )


def messages(watch: Watch) -> list[Fact]:
    """News of the kernel since the window's start. Raises ToolUnavailable where dmesg may not be read."""
    facts = captured(["dmesg", "--time-format", "iso"], watch)
    return [fact for fact in facts if fact.kind == "kernel" and (fact.at is None or fact.at >= watch.start)]


def failed_units(watch: Watch) -> list[Fact]:
    """systemd's failed units, where systemd runs."""
    if not Path("/run/systemd/system").is_dir():
        return []
    return captured(["systemctl", "list-units", "--failed", "--no-pager", "--plain"], watch)


def captured(command: list[str], watch: Watch) -> list[Fact]:
    """A command's output read as a capture of it. Raises ToolUnavailable."""
    text = f"root@{watch.host}:~# {' '.join(command)}\n{output(command)}"
    return facts_of(command[0], text, watch.stamps)


def _read(path: Path) -> str | None:
    try:
        return " ".join(path.read_text().split())
    except OSError:
        return None
