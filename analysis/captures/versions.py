"""Versions: docker version, anything's --version, uname, os-release, lsb_release, dpkg, apt history, docker info."""

import re
from collections.abc import Iterator
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number, size
from domain.facts import Fact

_VERSION: Final = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)+[\w.+~:-]*|\d+\.\d+)")
_ASKED: Final = re.compile(r"(?:^|\s)(?:--version|-version|-V|-v|version)(?:\s|$)")
_DOCKER: Final = re.compile(
    r"^(\s*)(Version|API version|Engine|Client|Server|containerd|runc|docker-init|Go version|GitCommit)[:\s]\s*(.*)$"
)
_MINIMUM: Final = re.compile(r"([\d.]+) \(minimum version ([\d.]+)\)")
_RELEASE: Final = re.compile(r"(PRETTY_NAME|VERSION_ID|ID)=\"?([^\"]+)\"?$")
_UNAME: Final = re.compile(r"Linux (\S+) (\d+\.\S+) (#.*)")
_DPKG: Final = re.compile(r"(ii|rc|hi|iU|iF)\s+(\S+?)(?::\w+)?\s+(\S+)\s+(?:\S+\s+)?")
_DPKG_LOG: Final = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (install|upgrade|remove|purge) (\S+?)(?::\w+)? (\S+)(?: (\S+))?$"
)
_HISTORY: Final = re.compile(r"(Upgrade|Install|Remove|Purge|Downgrade|Reinstall): (.*)")
_PACKAGE: Final = re.compile(r"([\w.+-]+):\w+ \(([^,)]+)(?:, ([^)]+))?\)")


def parse_docker(text: str, context: Context) -> list[Fact]:
    """docker version: client, engine, API with the least version it still speaks, containerd, runc."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    if len(lines) == 1:
        return [_single("docker", lines[0], context)] if _VERSION.search(lines[0].text) else []
    side, part = "client", "docker"
    facts = []
    for line in lines:
        word = line.text.strip()
        if word.startswith(("Client", "Server")):
            side, part = word[:6].lower(), "docker"
        elif match := re.fullmatch(r"\s*(Engine|containerd|runc|docker-init|[\w-]+):\s*", line.text):
            part = "docker" if match[1] == "Engine" else match[1]
        elif fact := _docker_line(line, side, part, context):
            facts.append(fact)
    return facts


def _docker_line(line: Line, side: str, part: str, context: Context) -> Fact | None:
    key, _, value = (piece.strip() for piece in line.text.partition(":"))
    if key == "API version":
        minimum = _MINIMUM.match(value)
        version = minimum[1] if minimum else value
        return context.fact(
            "version",
            context.host,
            line,
            name="docker api",
            version=version,
            minimum=minimum[2] if minimum else None,
            server=side == "server" or None,
            client=side == "client" or None,
        )
    if key != "Version" or not value:
        return None
    told = {"server": True} if side == "server" else {"client": True}
    return context.fact("version", context.host, line, name=part, version=value.lstrip("v"), **told)


def parse_any(text: str, context: Context) -> list[Fact]:
    """What prints its version when asked: `runc --version`, `python3 -V`, `ldd --version`, `nginx -v`."""
    if not _ASKED.search(context.command.line):
        return []
    line = next((line for line in context.lines(text) if _VERSION.search(line.text)), None)
    return [] if line is None else [_single(_asked_program(context), line, context)]


def _asked_program(context: Context) -> str:
    """The program, also of `docker run --entrypoint ldd image --version`."""
    return context.command.value("--entrypoint") or context.command.program or "unknown"


def _single(name: str, line: Line, context: Context) -> Fact:
    match = _VERSION.search(re.sub(r"\([^)]*\)", "", line.text)) or _VERSION.search(line.text)
    return context.fact("version", context.place, line, name=name, version=match[1] if match else line.text.strip())


def parse_uname(text: str, context: Context) -> list[Fact]:
    """uname -a, uname -r, /proc/version."""
    line = next((line for line in context.lines(text) if line.text.strip()), None)
    if line is None:
        return []
    match = (
        _UNAME.search(line.text)
        or re.search(r"(Linux) version (\S+)", line.text)
        or re.fullmatch(r"()(\d+\.\d+\S*)", line.text.strip())
    )
    return [context.fact("version", context.place, line, name="kernel", version=match[2])] if match else []


def parse_release(text: str, context: Context) -> list[Fact]:
    """/etc/os-release, lsb_release, /etc/issue."""
    told: dict[str, tuple[str, Line]] = {}
    for line in context.lines(text):
        if match := _RELEASE.match(line.text):
            told[match[1]] = (match[2], line)
        elif match := re.match(r"(?:Description|Release):\s+(.*)", line.text):
            told.setdefault("PRETTY_NAME", (match[1], line))
    rows = [line for line in context.lines(text) if line.text.strip()]
    if not told and len(rows) == 1:
        told["PRETTY_NAME"] = (rows[0].text.strip().strip('"'), rows[0])
    name, at = told.get("PRETTY_NAME", told.get("ID", ("", Line(0, ""))))
    version = told.get("VERSION_ID", (name, at))[0]
    found = _VERSION.search(version)
    return (
        [context.fact("version", context.place, at, name=name, version=found[1] if found else version)] if name else []
    )


def parse_dpkg(text: str, context: Context) -> list[Fact]:
    """dpkg -l, rpm -qa, apk info: what is installed."""
    facts = []
    for line in context.lines(text):
        if match := _DPKG.match(line.text):
            facts.append(_package(match[2], match[3], line, context))
        elif context.command.program in ("rpm", "apk") and (rpm := re.fullmatch(r"(\S+?)-(\d\S*)", line.text.strip())):
            facts.append(_package(rpm[1], rpm[2], line, context))
    return facts[:500]


def parse_history(text: str, context: Context) -> list[Fact]:
    """apt's history.log and dpkg.log: what was upgraded when."""
    facts: list[Fact] = []
    moment: Any = None
    for line in context.lines(text):
        if line.text.startswith("Start-Date:"):
            moment = context.time(re.sub(r"\s+", " ", line.text.partition(":")[2]).strip())
        elif match := _HISTORY.match(line.text):
            facts += [
                _upgraded(match[1].lower(), package, line, moment, context) for package in _PACKAGE.findall(match[2])
            ]
        elif match := _DPKG_LOG.match(line.text):
            package = (match[3], match[4], match[5] or "")
            facts.append(_upgraded(match[2], package, line, context.time(match[1]), context))
    return facts


def _upgraded(action: str, package: tuple[str, str, str], line: Line, at: Any, context: Context) -> Fact:
    name, old, new = package
    previous, version = (old, new) if new else (None, old)
    return context.fact("package", context.host, line, at, name=name, version=version, previous=previous, action=action)


def _package(name: str, version: str, line: Line, context: Context) -> Fact:
    return context.fact("package", context.place, line, name=name, version=version)


_INFO: Final = {
    "Storage Driver": "storage driver", "Logging Driver": "logging driver", "Cgroup Driver": "cgroup driver",
    "Cgroup Version": "cgroup version",
    "Kernel Version": "kernel", "Operating System": "operating system", "Server Version": "docker",
    "Docker Root Dir": "docker root",
    "Default Runtime": "runtime", "runc version": "runc", "containerd version": "containerd",
    "Live Restore Enabled": "live restore",
    "Security Options": "security", "Swarm": "swarm", "Registry Mirrors": "mirrors", "HTTP Proxy": "http proxy",
    "HTTPS Proxy": "https proxy",
}  # fmt: skip


def parse_info(text: str, context: Context) -> list[Fact]:
    """docker info: drivers, versions, resources, warnings."""
    facts = list(_info(text, context))
    warnings = [line for line in context.lines(text) if line.text.startswith("WARNING:")]
    return facts + [
        context.fact("note", context.host, line, name="docker info warning", text=line.text) for line in warnings
    ]


def _info(text: str, context: Context) -> Iterator[Fact]:
    for line in context.lines(text):
        key, _, value = (part.strip() for part in line.text.partition(":"))
        if key in ("Server Version", "Kernel Version") and value:
            yield context.fact("version", context.host, line, name=_INFO[key], version=value)
        elif key in _INFO and value:
            yield context.fact("setting", context.host, line, name=_INFO[key], value=value)
        elif key == "Total Memory":
            yield context.fact("memory", context.host, line, total=size(value))
        elif key == "CPUs":
            yield context.fact("cpu", context.host, line, cpus=number(value))
        elif key in ("Containers", "Running", "Paused", "Stopped", "Images") and number(value) is not None:
            yield context.fact("note", context.host, line, name=f"docker {key.lower()}", value=number(value))


def parse_images(text: str, context: Context) -> list[Fact]:
    """docker images: what is on the machine."""
    facts = []
    for line in context.lines(text):
        match = re.match(r"(\S+)\s+(\S+)\s+([0-9a-f]{12})\s+(.+?)\s{2,}([\d.]+\s?[kMG]?B)", line.text)
        if match:
            facts.append(
                context.fact(
                    "image",
                    safe_entity("external", f"{match[1]}:{match[2]}"),
                    line,
                    name=match[1],
                    tag=match[2],
                    digest=match[3],
                    created=match[4],
                    size=size(match[5]),
                )
            )
    return facts


PARSERS: Final = (
    Parser(
        "docker version",
        parse_docker,
        ("docker version", "podman version"),
        looks=re.compile(r"\AClient:(?: .*)?\n\s*Version:"),
    ),
    Parser(
        "docker info",
        parse_info,
        ("docker info", "docker system info", "podman info"),
        looks=re.compile(r"^Server Version: |^ ?Storage Driver:", re.MULTILINE),
    ),
    Parser(
        "docker images",
        parse_images,
        ("docker images", "docker image ls", "podman images", "crictl images"),
        looks=re.compile(r"\AREPOSITORY\s+TAG\s+IMAGE ID"),
    ),
    Parser("uname", parse_uname, ("uname",), ("/proc/version",), re.compile(r"\ALinux \S+ \d+\.\d+\S* #")),
    Parser(
        "os-release",
        parse_release,
        ("lsb_release",),
        ("/etc/os-release", "/etc/*-release", "/etc/issue", "/etc/debian_version"),
        re.compile(r"^PRETTY_NAME=", re.MULTILINE),
    ),
    Parser(
        "package history",
        parse_history,
        files=("*/apt/history.log*", "*/dpkg.log*"),
        looks=re.compile(r"^Start-Date: |^\S+ \S+ (?:install|upgrade) \S+:\w+ ", re.MULTILINE),
    ),
    Parser(
        "packages",
        parse_dpkg,
        ("dpkg", "rpm", "apk", "apt list"),
        looks=re.compile(r"^\|\|/ Name|^ii\s+\S+\s+\d", re.MULTILINE),
    ),
    Parser("version", parse_any, looks=re.compile(r"\A")),
)
