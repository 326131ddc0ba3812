"""Splits a file of captured output into blocks, each a command and what it printed."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

_TOOL: Final = re.compile(r"#\s*([A-Za-z_][\w.-]*)\s*(\{.*\})\s*(?:status=(\w+))?\s*$")
_SQL: Final = re.compile(
    r"(?:([\w-]+)(?:=|-|'|\")[#>]|(?:mysql|MariaDB \[[^\]]*\]|sqlite|cqlsh\S*|clickhouse \S+)\s*>)\s+(\S.*)"
)
_REDIS: Final = re.compile(r"(?:[\w.-]+:\d{2,5}(?:\[\d+\])?|redis[\w.:-]*)>\s+(\S.*)")
_MONGO: Final = re.compile(
    r"(?:[\w-]+:(?:PRIMARY|SECONDARY|OTHER)|(?:[\w-]+ )?\[[^\]]*\] \w+|test|admin|local)>\s+(\S.*)"
)
_HOST: Final = re.compile(r"(?:\([^)]*\)\s*)?\[?[\w.-]+@([\w.-]+)[^#$%\n]{0,80}?[#$%]\s+(\S.*)")
_NAMED: Final = re.compile(
    r"([A-Za-z][\w.-]*)(?:(?::[~/][\w/.~-]*)? ?[$%]|(?::[~/][\w/.~-]*)?#)\s+(\S.*)"
)  # `db02 $ df`, `db02# df`
_SHELL: Final = re.compile(r"(?:\$|>|\+{1,2}|/[\w/.-]* ?[#$]|(?:ba|z|)sh-[\d.]+[#$])\s+(\S.*)")
_ROOT: Final = re.compile(r"#\s+(\S.*)")
_SECTION: Final = re.compile(r"(?:==> (\S.*?) <==|-{3,}\s*(\S.*?)\s*-{3,}|={3,}\s*(\S.*?)\s*={3,})\s*$")
_PROGRAMS: Final = r"""
    docker docker-compose podman nerdctl crictl ctr kubectl helm oc systemctl journalctl df du free ps pstree top
    uptime vmstat iostat mpstat sar dmesg mount findmnt lsblk blkid lsof ulimit cat head tail grep zgrep egrep awk
    sed find ls stat wc sysctl ss netstat ip ifconfig route ping traceroute tracepath mtr dig nslookup host getent
    curl wget nc ncat telnet openssl iptables ip6tables nft ufw firewall-cmd ethtool timedatectl chronyc ntpq date
    hwclock psql mysql mysqladmin mongosh mongo redis-cli rabbitmqctl rabbitmq-diagnostics kafka-[\w-]+(?:\.sh)?
    etcdctl nginx apachectl haproxy crontab apt apt-get dpkg rpm yum dnf uname lscpu nproc hostnamectl hostname env
    printenv git id whoami who last smartctl zpool zfs btrfs lvs vgs pvs mdadm getenforce aa-status ausearch
    auditctl strace jstack jmap jcmd node python3? java php ruby go aws gcloud az nvidia-smi ldd file getconf
    lsb_release lsmod modinfo runc containerd consul vault nomad pg_\w+ echo readlink tc conntrack certbot
    systemd-\w+ loginctl sqlite3 showmount nfsstat exportfs postconf mailq virsh pct qm xfs_\w+ tune2fs dumpe2fs md5sum
    sha256sum tcpdump nsenter nstat ipcs lsns bridge brctl ipvsadm keyctl modprobe losetup dmsetup sestatus
    gitlab-runner buildah skopeo
"""  # regular expressions, of the programs whose prompt is believed
_COMMAND_WORD: Final = re.compile(rf"(?:sudo |\w+=\S+ )*(?:\S*/)?(?:{'|'.join(_PROGRAMS.split())})(?:\s|$)")


@dataclass(frozen=True)
class Block:
    """One command and its output."""

    command: str  # as typed; a heading starts with `# `; empty where nothing tells
    text: str
    first_line: int  # of the text, from 1
    host: str = ""  # that the prompt names
    arguments: Mapping[str, Any] = field(default_factory=dict)  # of a recorded tool call
    status: str = ""  # of a recorded tool call


def split(text: str, name: str = "") -> tuple[Block, ...]:
    """The blocks of a file; one block, named by the file, where there is no prompt in it."""
    text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    prompts = list(_prompts(lines))
    if not prompts:
        return (Block(name_to_command(name), text, 1),) if text.strip() else ()
    blocks = [Block(name_to_command(name), "\n".join(lines[: prompts[0][0]]), 1)] if prompts[0][0] else []
    ends = [at for at, _ in prompts[1:]] + [len(lines)]
    for (at, block), end in zip(prompts, ends, strict=True):
        body = "\n".join(lines[at + 1 : end]).rstrip("\n")
        blocks.append(Block(block.command, body, at + 2, block.host, block.arguments, block.status))
    return tuple(block for block in blocks if block.command or block.text.strip())


def name_to_command(name: str) -> str:
    """The command that a file's name tells: `artifacts/docker_ps.txt` -> `docker ps`, `df-h.txt` -> `df -h`."""
    stem = PurePosixPath(name).name.partition(".")[0]
    words = re.sub(r"[_+]+", " ", re.sub(r"^\d+[-_]", "", stem)).replace(" - ", " -")
    if " " not in words:
        words = re.sub(r"-(?=[a-zA-Z]{1,3}$)", " -", words, count=1) if "-" in words else words
    return words if _COMMAND_WORD.match(words) else ""


def _prompts(lines: list[str]) -> Iterator[tuple[int, Block]]:
    """The lines that are prompts. Bare `#` counts only before a command's name or as a heading of the whole file."""
    shelled = any(line.startswith("$ ") for line in lines)
    hosts = {match[1] for line in lines if (match := _NAMED.match(line)) and _COMMAND_WORD.match(match[2])}
    if lines and (tool := _TOOL.match(lines[0])):
        yield 0, _tool_block(tool)
        return
    for at, line in enumerate(lines):
        block = _prompt(line, shelled and at > 0) or _named(line, hosts)
        if block is None and at == 0 and (match := _ROOT.fullmatch(line)) and not line.startswith("##"):
            block = Block(f"# {match[1]}", "", 0)
        if block is not None:
            yield at, block


def _prompt(line: str, shelled: bool) -> Block | None:
    if not line or line[0] in " \t" or len(line) > 4000:
        return None
    if match := _HOST.match(line):
        return Block(match[2], "", 0, host=match[1]) if _COMMAND_WORD.match(match[2]) else None
    for pattern, program in ((_SQL, "sql"), (_REDIS, "redis-cli"), (_MONGO, "mongosh")):
        if match := pattern.match(line):
            named = f" -d {match[1]}" if program == "sql" and match[1] else ""
            return Block(f"{program}{named} {match[match.lastindex or 1]}", "", 0)
    if match := _SHELL.match(line):
        certain = line.startswith("$ ") or _COMMAND_WORD.match(match[1]) or (line[0] == ">" and not shelled)
        return Block(match[1], "", 0) if certain else None
    if (match := _ROOT.match(line)) and _COMMAND_WORD.match(match[1]):
        return Block(match[1], "", 0)
    if match := _SECTION.match(line):
        title = match[1] or match[2] or match[3]
        return Block(f"cat {title}" if match[1] else title, "", 0) if match[1] or _COMMAND_WORD.match(title) else None
    return None


def _named(line: str, hosts: set[str]) -> Block | None:
    """The prompt of a machine that is nothing but its name, of those that were seen before a command's name."""
    match = _NAMED.match(line) if len(line) <= 4000 else None
    return Block(match[2], "", 0, host=match[1]) if match and match[1] in hosts else None


def _tool_block(match: re.Match[str]) -> Block:
    try:
        arguments = json.loads(match[2])
    except ValueError:
        arguments = {}
    return Block(match[1], "", 0, arguments=arguments if isinstance(arguments, dict) else {}, status=match[3] or "")
