"""Interfaces, routes and sockets of the machine, from psutil and /proc."""

import ipaddress
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psutil

from analysis.captures import facts_of
from analysis.captures.context import Context, safe_entity
from domain.facts import Fact
from mcp_servers.live.watch import Watch

_MOST: Final = 200
_UP: Final = 0x1  # flag of a route in /proc/net/route
_STATES: Final = {"ESTABLISHED": "ESTAB", "NONE": "UNCONN"}  # as ss writes them


def interfaces(context: Context) -> Iterator[Fact]:
    """Each interface with its addresses, MTU and errors."""
    addresses, counted = psutil.net_if_addrs(), psutil.net_io_counters(pernic=True)
    for name, told in sorted(psutil.net_if_stats().items()):
        known = [one for one in addresses.get(name, []) if one.family in (socket.AF_INET, socket.AF_INET6)]
        mac = next((one.address for one in addresses.get(name, []) if one.family == psutil.AF_LINK), None)
        io = counted.get(name)
        yield context.fact(
            "interface", safe_entity("network", name), None, name=name, mtu=told.mtu, speed=told.speed or None,
            state="UP" if told.isup else "DOWN", addresses=sorted(_address(one) for one in known), mac=mac,
            rx_errors=io.errin if io else None, tx_errors=io.errout if io else None,
            rx_dropped=io.dropin if io else None, tx_dropped=io.dropout if io else None,
        )  # fmt: skip


def _address(one: Any) -> str:
    bare = str(one.address).partition("%")[0]
    if one.family == socket.AF_INET and one.netmask:
        return str(ipaddress.IPv4Interface(f"{bare}/{one.netmask}"))
    return bare


def routes(context: Context, table: Path = Path("/proc/net/route")) -> Iterator[Fact]:
    """The IPv4 routes of the main table."""
    for line in table.read_text().splitlines()[1:]:
        device, destination, gateway, flags, _, _, metric, mask, *_ = line.split()
        if not int(flags, 16) & _UP:
            continue
        net = ipaddress.IPv4Network((_hex(destination), _hex(mask)), strict=False)
        via = _hex(gateway)
        yield context.fact(
            "route", safe_entity("network", device), None, destination="default" if not net.prefixlen else str(net),
            gateway=None if via == "0.0.0.0" else via, device=device, metric=int(metric),
        )  # fmt: skip


def _hex(text: str) -> str:
    """/proc writes addresses in hex, the last byte first."""
    return str(ipaddress.IPv4Address(bytes.fromhex(text)[::-1]))


def sockets(context: Context) -> list[Fact]:
    """Who listens, one by one; connections counted by their state."""
    found = psutil.net_connections("inet")
    names = {pid: _name(pid) for pid in {one.pid for one in found if one.pid and _listens(one)}}
    listening = [_listener(one, names, context) for one in found if _listens(one)]
    states = Counter(_STATES.get(one.status, one.status.replace("_", "-")) for one in found if not _listens(one))
    counted = [
        context.fact("socket", context.host, None, state=state, count=count) for state, count in sorted(states.items())
    ]
    unique = {(fact.entity, str(fact.attributes)): fact for fact in listening}
    return [unique[key] for key in sorted(unique)][:_MOST] + counted


def _listens(one: Any) -> bool:
    return one.status == psutil.CONN_LISTEN or (one.type == socket.SOCK_DGRAM and not one.raddr)


def _listener(one: Any, names: dict[int, str], context: Context) -> Fact:
    process = names.get(one.pid, "")
    return context.fact(
        "socket", safe_entity("process", process, context.host), None,
        protocol="tcp" if one.type == socket.SOCK_STREAM else "udp",
        state="LISTEN" if one.status == psutil.CONN_LISTEN else "UNCONN",
        local=f"{one.laddr.ip}:{one.laddr.port}" if one.laddr else None, process=process, pid=one.pid,
    )  # fmt: skip


def _name(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return ""


def resolver(watch: Watch, path: Path = Path("/etc/resolv.conf")) -> list[Fact]:
    """Which servers are asked for names."""
    return facts_of("resolv.conf", f"root@{watch.host}:~# cat {path}\n{path.read_text()}", watch.stamps)
