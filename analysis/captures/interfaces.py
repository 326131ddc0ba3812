"""ip addr, ip link, ip route, ifconfig, ethtool, docker network ls: interfaces and routes."""

import re
from ipaddress import ip_network
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number
from domain.facts import Fact

_LINK: Final = re.compile(r"\d+: (\S+?)(?:@\S+)?: <([^>]*)>.*?mtu (\d+)(?:.*?master (\S+))?(?:.*?state (\S+))?")
_AWK: Final = re.compile(r"([\w.-]+)(?:@\S+)?: (\d{3,5})\s*$")
_BRIEF: Final = re.compile(r"([\w.-]+)(?:@\S+)?\s+(UP|DOWN|UNKNOWN|LOWERLAYERDOWN)\s+(.*)$")
_ADDRESS: Final = re.compile(r"\s*inet6? (\S+)")
_MAC: Final = re.compile(r"\s*(?:link/ether|ether) (\S+)")
_OLD: Final = re.compile(r"(\S+?):?\s+(?:flags=\d+<([^>]*)>\s+mtu (\d+)|Link encap:)")
_ERRORS: Final = re.compile(r"\s*(RX|TX) errors:?\s?(\d+)\s+(?:dropped:?\s?(\d+))?")
_STATISTICS: Final = re.compile(r"\s+(RX|TX):?\s+bytes\s+packets\s+errors\s+(?:dropped|drop)")
_ROUTE: Final = re.compile(
    r"(default|unreachable \S+|blackhole \S+|"
    r"[\da-f.:]+(?:/\d+)?(?!\w))(?: via (\S+))?(?: dev (\S+))?(?:.*? src (\S+))?(?:.*? metric (\d+))?"
)
_TABLE: Final = re.compile(
    r"(\d+\.\d+\.\d+\.\d+|default)\s+(\S+)\s+(\d+\.\d+\.\d+\.\d+)\s+(\S+)\s+(\d+)\s+\d+\s+\d+\s+(\S+)"
)
_ETHTOOL: Final = re.compile(r"\s*(Speed|Link detected|Duplex): (\S+)")
_NETWORKS: Final = re.compile(r"([0-9a-f]{12})\s+(\S+)\s+(\S+)\s+(\S+)\s*$")
_VOLUMES: Final = re.compile(r"(local|\S+)\s+(\S+)\s*$")


def parse_links(text: str, context: Context) -> list[Fact]:
    """Interfaces with state, MTU, addresses and errors."""
    facts: list[Fact] = []
    name, told, telling, counters = "", dict[str, Any](), Line(0, ""), ""
    for line in context.lines(text):
        if head := _head(line.text):
            facts += _interface(name, told, telling, context)
            (name, told), telling = head, line
            told.setdefault("addresses", [])
        elif name:
            counters = _detail(line.text, told, counters)
    return facts + _interface(name, told, telling, context)


def _head(text: str) -> tuple[str, dict[str, Any]] | None:
    if match := _LINK.match(text):
        state = match[5] or ("UP" if "UP" in match[2].split(",") else "DOWN")
        down = "NO-CARRIER" in match[2]
        return match[1], {"mtu": int(match[3]), "master": match[4], "state": "NO-CARRIER" if down else state}
    if match := _AWK.match(text):
        return match[1], {"mtu": int(match[2])}
    if match := _BRIEF.match(text):
        return match[1], {
            "state": match[2],
            "addresses": [word for word in match[3].split() if re.match(r"[\da-f]+[.:]", word)],
        }
    if match := _OLD.match(text):
        flags = (match[2] or "").split(",")
        return match[1], {
            "mtu": number(match[3] or ""),
            "state": "UP" if "UP" in flags else "DOWN" if match[2] is not None else None,
        }
    return None


def _detail(text: str, told: dict[str, Any], counters: str) -> str:
    """Learns from a line under an interface; gives back whose counters the next line holds."""
    if match := _ADDRESS.match(text):
        told["addresses"].append(match[1].removeprefix("addr:"))
    elif match := _MAC.match(text):
        told["mac"] = match[1]
    elif match := _ERRORS.match(text):
        told[f"{match[1].lower()}_errors"], told[f"{match[1].lower()}_dropped"] = int(match[2]), number(match[3] or "")
    elif match := _STATISTICS.match(text):
        return match[1].lower()
    elif counters and len(words := text.split()) >= 4 and all(word.isdigit() for word in words[:4]):
        told[f"{counters}_errors"], told[f"{counters}_dropped"] = int(words[2]), int(words[3])
    if match := re.search(r"MTU:(\d+)", text):
        told["mtu"] = int(match[1])
    return ""


def _interface(name: str, told: dict[str, Any], line: Line, context: Context) -> list[Fact]:
    return [context.fact("interface", safe_entity("network", name), line, name=name, **told)] if name else []


def _with_mask(address: str, mask: str) -> str:
    """`172.20.0.0` and `255.255.0.0` as one; an address without a subnet, and a mask that is none, stay as they are."""
    try:
        width = ip_network(f"0.0.0.0/{mask}").prefixlen
    except ValueError:
        return address
    return address if address == "default" or width == 32 else f"{address}/{width}"


def parse_routes(text: str, context: Context) -> list[Fact]:
    """ip route, ip rule aside; route -n."""
    facts = []
    for line in context.lines(text):
        if match := _TABLE.match(line.text):
            gateway = None if match[2] in ("0.0.0.0", "*") else match[2]
            destination = "default" if match[1] == "0.0.0.0" else _with_mask(match[1], match[3])
            told = {"destination": destination, "gateway": gateway, "device": match[6], "metric": int(match[5])}
        elif match := _ROUTE.match(line.text.strip()):
            told = {
                "destination": match[1],
                "gateway": match[2],
                "device": match[3],
                "source": match[4],
                "metric": number(match[5] or ""),
            }
        else:
            continue
        facts.append(context.fact("route", safe_entity("network", told["device"] or told["destination"]), line, **told))
    return facts


def parse_ethtool(text: str, context: Context) -> list[Fact]:
    """ethtool: speed and link; ethtool -S: counters of errors and drops."""
    name = context.command.plain.split()[-1] if context.command.words[1:] else "unknown"
    told = {match[1]: (match[2], line) for line in context.lines(text) if (match := _ETHTOOL.match(line.text))}
    if not told:
        return []
    state = {"yes": "UP", "no": "DOWN"}.get(told.get("Link detected", ("",))[0])
    line = told.get("Link detected", told.get("Speed", ("", Line(0, ""))))[1]
    return [
        context.fact(
            "interface", safe_entity("network", name), line, name=name, state=state, speed=told.get("Speed", ("",))[0]
        )
    ]


def parse_networks(text: str, context: Context) -> list[Fact]:
    """docker network ls."""
    return [
        context.fact(
            "docker_network", safe_entity("network", match[2]), line, name=match[2], driver=match[3], scope=match[4]
        )
        for line in context.lines(text)
        if (match := _NETWORKS.match(line.text))
    ]


def parse_volumes(text: str, context: Context) -> list[Fact]:
    """docker volume ls."""
    return [
        context.fact("volume", safe_entity("volume", match[2]), line, name=match[2], driver=match[1])
        for line in context.lines(text)
        if not line.text.startswith("DRIVER") and (match := _VOLUMES.fullmatch(line.text.strip()))
    ]


PARSERS: Final = (
    Parser(
        "ip route",
        parse_routes,
        ("ip route", "ip r", "route", "ip ro", "netstat -r"),
        looks=re.compile(r"\A(?:default via |Kernel IP routing table|[\d.]+/\d+ dev )"),
    ),
    Parser(
        "ip link",
        parse_links,
        ("ip link", "ip addr", "ip a", "ip address", "ip l", "ifconfig", "ip -s", "ip"),
        files=("/sys/class/net/*/mtu",),
        looks=re.compile(r"\A1: lo: <|^\S+: flags=\d+<", re.MULTILINE),
    ),
    Parser("ethtool", parse_ethtool, ("ethtool",), looks=re.compile(r"\ASettings for \S+:")),
    Parser(
        "docker network ls",
        parse_networks,
        ("docker network ls", "docker network list", "podman network ls"),
        looks=re.compile(r"\ANETWORK ID\s+NAME\s+DRIVER"),
    ),
    Parser(
        "docker volume ls",
        parse_volumes,
        ("docker volume ls", "docker volume list", "podman volume ls"),
        looks=re.compile(r"\ADRIVER\s+VOLUME NAME"),
    ),
)
