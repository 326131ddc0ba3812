"""dmesg and kernel lines of a journal: OOM kills, crashes, disk errors, hung tasks, refusals, full tables."""

import re
from collections.abc import Iterator
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.lines.timestamps import LineClock
from domain.facts import Fact

_UPTIME: Final = re.compile(r"^(?:<\d+>)?\[\s*(\d+\.\d+)\]")
_PATTERNS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("oom_kill",
    re.compile(
        r"oom-kill:constraint=CONSTRAINT_(?P<constraint>\w+).*?task_memcg=(?P<cgroup>[^,\s]+),task=(?P<process>[^,]+),pid=(?P<pid>\d+)"
    )),
    ("oom_kill",
    re.compile(
        r"(?P<constraint>Memory cgroup )?[Oo]ut of memory: Kill(?:ed)? process (?P<pid>\d+) \((?P<process>[^)]+)\)"
    )),
    ("oom_invoked", re.compile(r"(?P<process>\S+) invoked oom-killer")),
    ("oom_reaped", re.compile(r"oom_reaper: reaped process (?P<pid>\d+) \((?P<process>[^)]+)\)")),
    ("segfault", re.compile(r"(?P<process>[\w./:-]+)\[(?P<pid>\d+)\]: segfault at")),
    ("invalid_opcode", re.compile(r"traps: (?P<process>[\w./:-]+)\[(?P<pid>\d+)\] trap invalid opcode")),
    ("general_protection", re.compile(r"traps: (?P<process>[\w./:-]+)\[(?P<pid>\d+)\] general protection")),
    ("hung_task", re.compile(r"INFO: task (?P<process>[^:\s]+):(?P<pid>\d+) blocked for more than \d+ seconds")),
    ("io_error", re.compile(r"(?:Buffer )?I/O error(?:,| on)? dev(?:ice)? (?P<device>[\w-]+)", re.IGNORECASE)),
    ("io_error",
    re.compile(r"(?:blk_update_request|print_req_error): .*?(?:I/O|critical \w+) error, dev (?P<device>\w+)")),
    ("medium_error",
    re.compile(r"(?P<device>sd[a-z]+|nvme\S+).*(?:Medium Error|Unrecovered read error|UNC\b|failed command)")),
    ("nvme_timeout", re.compile(r"nvme (?P<device>nvme\S+): I/O .* timeout|(?P<process>nvme)\S*: controller is down")),
    ("remount_read_only",
    re.compile(
        r"(?:EXT4-fs|XFS|BTRFS)[^:]*\((?P<device>[\w-]+)\).*(?:[Rr]emounting filesystem read-only|"
        r"[Ss]hutting down filesystem|forced readonly)"
    )),
    ("filesystem_error",
    re.compile(r"(?:EXT4-fs|XFS|BTRFS|NTFS)[^:]*\(?(?:device )?(?P<device>[\w-]+)\)?:? .*(?:error|corrupt)",
    re.IGNORECASE)),
    ("conntrack_full", re.compile(r"nf_conntrack: (?:nf_conntrack: )?table full, dropping packet")),
    ("syn_flood", re.compile(r"[Pp]ossible SYN flooding on port (?P<device>\S+?)\.")),
    ("neighbour_overflow", re.compile(r"neighbou?r(?: table|: \w+_cache: neighbor table) overflow", re.IGNORECASE)),
    ("apparmor_denied",
    re.compile(
        r"apparmor=\"DENIED\".*?profile=\"(?P<cgroup>[^\"]+)\".*?(?:pid=(?P<pid>\d+) )?comm=\"(?P<process>[^\"]+)\""
    )),
    ("selinux_denied", re.compile(r"avc:\s+denied .*?pid=(?P<pid>\d+) comm=\"(?P<process>[^\"]+)\"")),
    ("seccomp_kill",
    re.compile(r"type=1326 .*?pid=(?P<pid>\d+) comm=\"(?P<process>[^\"]+)\".*?syscall=(?P<device>\d+)")),
    ("cgroup_pids_limit", re.compile(r"cgroup: fork rejected by pids controller in (?P<cgroup>\S+)")),
    ("soft_lockup",
    re.compile(r"watchdog: BUG: soft lockup - CPU#\d+ stuck for \S+ \[(?P<process>[^:\]]+):(?P<pid>\d+)\]")),
    ("rcu_stall", re.compile(r"rcu: INFO: \w+ (?:self-)?detected (?:expedited )?stall")),
    ("kernel_panic", re.compile(r"Kernel panic - not syncing")),
    ("kernel_bug", re.compile(r"(?:BUG: (?:unable to handle|kernel NULL)|kernel BUG at|Oops: )")),
    ("mce", re.compile(r"mce: \[Hardware Error\]|EDAC .*(?:CE|UE) ")),
    ("thermal", re.compile(r"(?:temperature above threshold|clock throttled)")),
    ("link_down", re.compile(r"(?P<device>(?:eth|en|wl|bond|ib)\w+): .*?[Ll]ink (?:is )?[Dd]own")),
    ("raid_degraded",
    re.compile(r"md/raid\S*:(?P<device>md\d+): .*(?:Disk failure|degraded)|md: kicking non-fresh (?P<process>\w+)")),
    ("usb_reset", re.compile(r"usb \S+: reset \S+-speed USB device|USB disconnect")),
    ("clock_unstable", re.compile(r"(?:clocksource: .*unstable|Marking clocksource .* as unstable)")),
    ("page_allocation_failure", re.compile(r"(?P<process>\S+): page allocation failure")),
    ("no_space", re.compile(r"(?:No space left on device|inotify.*limit reached|Too many open files)")),
    ("file_max", re.compile(r"VFS: file-max limit (?P<device>\d+) reached")),
    ("nfs_timeout", re.compile(r"nfs: server (?P<device>\S+) not responding")),
    ("power_loss",
    re.compile(r"(?:critical temperature reached|Power key pressed|EXT4-fs \((?P<device>\w+)\): recovery complete)")),
)  # fmt: skip
_HINT: Final = re.compile(
    r"oom|segfault|traps:|blocked for|error|remount|readonly|read-only|shutting down|conntrack|SYN flood|overflow|"
    r"DENIED|denied|"
    r"type=1326|fork rejected|lockup|stall|panic|BUG|mce|EDAC|temperature|throttled|[Ll]ink|raid|kicking|usb|"
    r"clocksource|"
    r"allocation failure|No space|inotify|Too many|file-max|nfs:|Power|recovery|[Oo]ut of memory|Medium|UNC|nvme"
)
_MOST: Final = 200


def parse(text: str, context: Context) -> list[Fact]:
    """News of the kernel; ordinary lines are left to the log server."""
    return list(_found(text, context))[:_MOST]


def _found(text: str, context: Context) -> Iterator[Fact]:
    clock = LineClock(context.clock)
    for line in context.lines(text):
        at = None if _UPTIME.match(line.text) else clock.stamp(line.text)
        if _HINT.search(line.text) and (fact := kernel_fact(line, at, context)) is not None:
            yield fact


def kernel_fact(line: Line, at: Any, context: Context) -> Fact | None:
    """What one line reports; None for an ordinary one."""
    for event, pattern in _PATTERNS:
        if match := pattern.search(line.text):
            told = {key: value for key, value in match.groupdict().items() if value}
            up = _UPTIME.match(line.text)
            constraint = _constraint(event, line.text, told.pop("constraint", ""))
            pid = int(told.pop("pid")) if "pid" in told else None
            message = _UPTIME.sub("", line.text).strip()[:300]
            return context.fact(
                "kernel",
                _entity(told, context),
                line,
                at,
                event=event,
                pid=pid,
                constraint=constraint,
                message=message,
                uptime_seconds=float(up[1]) if up else None,
                **told,
            )
    return None


def _constraint(event: str, text: str, told: str) -> str | None:
    """Whose limit it was: `memcg` of a cgroup, `none` of the whole machine."""
    if event not in ("oom_kill", "oom_reaped"):
        return None
    if told.strip() in ("Memory cgroup",) or "memory cgroup" in text.lower():
        return "memcg"
    return told.lower() or "none"


def _entity(told: dict[str, str], context: Context) -> str:
    if told.get("process"):
        return safe_entity("process", told["process"])
    return (
        safe_entity("disk", told["device"])
        if re.fullmatch(r"(?:sd|nvme|vd|dm-|md)\S*", told.get("device", ""))
        else context.host
    )


PARSERS: Final = (
    Parser(
        "dmesg",
        parse,
        ("dmesg", "journalctl"),
        ("*/kern.log*", "*dmesg*", "*/syslog", "*/messages"),
        re.compile(r"^(?:<\d+>)?\[\s*\d+\.\d{6}\] |\skernel: ", re.MULTILINE),
    ),
)
