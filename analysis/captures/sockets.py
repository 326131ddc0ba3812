"""ss and netstat: who listens, how many connections in what state."""

import re
from collections import Counter
from typing import Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number
from domain.facts import Fact

_SS: Final = re.compile(
    r"(?:(?P<protocol>tcp|udp|u_str|u_dgr|raw|nl|v_str|icmp6|p_raw|p_dgr|mptcp|sctp)\s+)?(?P<state>LISTEN|ESTAB|"
    r"TIME-WAIT|CLOSE-WAIT|UNCONN|"
    r"SYN-SENT|SYN-RECV|FIN-WAIT-1|FIN-WAIT-2|LAST-ACK|CLOSING|"
    r"CLOSED)\s+(?P<recv_q>\d+)\s+(?P<send_q>\d+)\s+(?P<local>\S+)\s+(?P<remote>\S+)"
    r"(?:\s+users:\(\(\"(?P<process>[^\"]+)\",pid=(?P<pid>\d+))?"
)
_NETSTAT: Final = re.compile(
    r"(?P<protocol>tcp6?|udp6?)\s+(?P<recv_q>\d+)\s+(?P<send_q>\d+)\s+(?P<local>\S+)\s+(?P<remote>\S+)"
    r"(?:\s+(?P<state>[A-Z_0-9]+))?"
    r"(?:\s+(?:(?P<pid>\d+)/(?P<process>\S+)|-))?\s*$"
)
_SUMMARY: Final = re.compile(
    r"TCP:\s+(\d+) \(estab (\d+), closed (\d+), orphaned (\d+), (?:synrecv \d+, )?timewait (\d+)"
)
_COUNTER: Final = re.compile(
    r"\s+(\d+) (.*(?:listen queue|overflow|SYNs to LISTEN|retransmi|failed connection|resets|pruned|dropped).*)"
)
_PROC: Final = re.compile(r"(?:\s*\d+: )?([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})\s+(?:[0-9A-F]{8,32}:0000\s+)?0A\b")
_LISTENING: Final = ("LISTEN", "UNCONN")
_MOST: Final = 200


def parse(text: str, context: Context) -> list[Fact]:
    """Listening sockets one by one; the others counted by state and peer where there are many."""
    listening: list[Fact] = []
    others: list[tuple[re.Match[str], Line]] = []
    for line in context.lines(text):
        if match := _SS.match(line.text.strip()) or _NETSTAT.match(line.text.strip()):
            if (match["state"] or "UNCONN") in _LISTENING:
                listening.append(_socket(match, line, context))
            else:
                others.append((match, line))
    return listening[:_MOST] + _connections(others, context) + _summary(text, context)


def _socket(match: re.Match[str], line: Line, context: Context, count: int | None = None) -> Fact:
    pid = match["pid"]
    named = match["process"] and not context.command.inside  # a container's sockets are in a network of its own
    of = safe_entity("process", match["process"]) if named else context.place
    return context.fact(
        "socket",
        of,
        line,
        protocol=match["protocol"] or ("udp" if match["state"] == "UNCONN" else "tcp"),
        state=(match["state"] or "UNCONN").replace("_", "-"),
        local=match["local"],
        remote=match["remote"],
        process=match["process"],
        pid=int(pid) if pid else None,
        recv_q=number(match["recv_q"]),
        send_q=number(match["send_q"]),
        count=count,
    )


def _connections(found: list[tuple[re.Match[str], Line]], context: Context) -> list[Fact]:
    facts = [_socket(match, line, context) for match, line in found[:_MOST]]
    if len(found) < 10:
        return facts
    states = Counter(match["state"].replace("_", "-") for match, _ in found)
    first = {match["state"].replace("_", "-"): line for match, line in reversed(found)}
    counted = [
        context.fact("socket", context.place, first[state], state=state, count=count)
        for state, count in sorted(states.items())
    ]
    return counted + facts[:40]


def _summary(text: str, context: Context) -> list[Fact]:
    """ss -s, and the counters of netstat -s that tell of losses."""
    facts = []
    for line in context.lines(text):
        if match := _SUMMARY.search(line.text):
            named = zip(("ESTAB", "CLOSED", "ORPHANED", "TIME-WAIT"), match.groups()[1:], strict=True)
            facts += [
                context.fact("socket", context.place, line, state=state, count=int(count)) for state, count in named
            ]
        elif match := _COUNTER.fullmatch(line.text):
            facts.append(
                context.fact(
                    "reading", context.place, line, command=context.command.line, name=match[2], value=int(match[1])
                )
            )
    return facts


def parse_proc(text: str, context: Context) -> list[Fact]:
    """/proc/net/tcp: the sockets that listen, whose addresses are hexadecimal and least byte first."""
    found = [(match, line) for line in context.lines(text) if (match := _PROC.match(line.text))]
    return [
        context.fact("socket", context.place, line, protocol="tcp", state="LISTEN", local=_local(match[1], match[2]))
        for match, line in found[:_MOST]
    ]


def _local(address: str, port: str) -> str:
    """`0100007F`, `1F40` -> `127.0.0.1:8000`; of IPv6 only what matters, loopback and all, is told apart."""
    if len(address) == 32:
        host = "[::1]" if address == "0" * 24 + "01000000" else "[::]" if not address.strip("0") else "[v6]"
    else:
        host = ".".join(str(byte) for byte in reversed(bytes.fromhex(address)))
    return f"{host}:{int(port, 16)}"


PARSERS: Final = (
    Parser("/proc/net/tcp", parse_proc, files=("/proc/net/tcp", "/proc/net/tcp6", "/proc/*/net/tcp*")),
    Parser(
        "ss",
        parse,
        ("ss", "netstat"),
        looks=re.compile(r"\A(?:Active Internet connections|(?:Netid\s+)?State\s+Recv-Q|Proto\s+Recv-Q)"),
    ),
)
