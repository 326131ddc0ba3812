"""redis-cli INFO, CONFIG GET, PING and others; valkey the same."""

import re
from collections.abc import Iterator
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number
from domain.facts import Fact

_PAIR: Final = re.compile(r"([a-z_0-9]+):(.*?)\s*$")
_CACHE: Final = {
    "used_memory": "used_memory", "maxmemory": "max_memory", "maxmemory_policy": "policy", "evicted_keys": "evicted",
    "connected_clients": "clients",
    "mem_fragmentation_ratio": "fragmentation", "rdb_last_bgsave_status": "fork_status", "role": "role",
}  # fmt: skip
_SETTINGS: Final = (
    "redis_version", "aof_enabled", "aof_last_write_status", "aof_last_bgrewrite_status", "rejected_connections",
    "blocked_clients", "loading",
    "rdb_changes_since_last_save", "latest_fork_usec", "maxclients", "instantaneous_ops_per_sec", "expired_keys",
    "uptime_in_seconds",
    "total_connections_received", "cluster_enabled", "used_memory_rss", "used_memory_peak", "total_system_memory",
    "tcp_port",
)  # fmt: skip
SLOWLOG: Final = "redis slowlog"
_ENTRY: Final = re.compile(r"\s*\d+\) +1\) \(integer\)")
_LENGTH: Final = re.compile(r"(?i)\b(?:llen|xlen)\s+(\S+)")
_NUMBERING: Final = re.compile(r"^(?:\s*\d+\) )+")
_CLIENT: Final = re.compile(r"(?:\d+\.\d+\.\d+\.\d+|\[?[0-9a-f:]+\]?):\d+|/\S+\.sock(?:et)?:0")
_KEYS: Final = re.compile(r"db\d+:keys=(\d+)")


def parse(text: str, context: Context) -> list[Fact]:
    """The sections of INFO as one cache fact, its replication, and settings; CONFIG GET as settings."""
    pairs = [(match[1], match[2], line) for line in context.lines(text) if (match := _PAIR.match(line.text))]
    if not pairs:
        return list(_slow(text, context)) or _length(text, context) or _config(text, context)
    told = {_CACHE[key]: _plain(value) for key, value, _ in pairs if key in _CACHE}
    keys = sum(int(count) for count in _KEYS.findall(text))
    hits, misses = (
        number(next((v for k, v, _ in pairs if k == f"keyspace_{name}"), "")) for name in ("hits", "misses")
    )
    share = (
        round(100 * hits / (hits + misses), 1) if hits is not None and misses is not None and hits + misses else None
    )
    used = {"keys": keys or None, "hit_percent": share, "used_percent": _used(told)}
    facts = [context.fact("cache", _server(context), _telling(pairs), **told, **used)] if told else []
    facts += [
        context.fact("setting", _server(context), line, name=key, value=_plain(value))
        for key, value, line in pairs
        if key in _SETTINGS
    ]
    return facts + _clients(pairs, context) + _replication(pairs, context)


def _clients(pairs: list[tuple[str, str, Line]], context: Context) -> list[Fact]:
    """Its clients as a pool, where the answer tells how many it admits."""
    told = {key: (number(value), line) for key, value, line in pairs}
    (active, line), (most, _) = told.get("connected_clients", (None, None)), told.get("maxclients", (None, None))
    if active is None or not most or line is None:
        return []
    share = round(100 * active / most, 1)
    return [
        context.fact("pool", _server(context), line, name="redis clients", active=active, max=most, used_percent=share)
    ]


def _used(told: dict[str, Any]) -> float | None:
    """Memory in use as a share of maxmemory, where there is one."""
    used, most = told.get("used_memory"), told.get("max_memory")
    return (
        round(100 * used / most, 1)
        if isinstance(used, int | float) and isinstance(most, int | float) and most
        else None
    )


def _plain(value: str) -> Any:
    found = number(value)
    return value if found is None else found


def _server(context: Context) -> str:
    host = context.command.value("-h", "--host")
    return context.command.inside or safe_entity("service", host or "redis")


def _telling(pairs: list[tuple[str, str, Line]]) -> Line:
    """A failed save first, then the memory in use."""
    bad = next((line for key, value, line in pairs if key == "rdb_last_bgsave_status" and value != "ok"), None)
    return bad or next((line for key, _, line in pairs if key in _CACHE), pairs[0][2])


def _replication(pairs: list[tuple[str, str, Line]], context: Context) -> list[Fact]:
    named = {key: (value, line) for key, value, line in pairs}
    if "master_link_status" not in named:
        return []
    value, line = named["master_link_status"]
    lag = number(named.get("master_last_io_seconds_ago", ("",))[0])
    return [
        context.fact(
            "replication",
            _server(context),
            line,
            name=named.get("master_host", ("",))[0],
            role="replica",
            state=value,
            active=value == "up",
            lag_seconds=lag,
        )
    ]


def _length(text: str, context: Context) -> list[Fact]:
    """LLEN and XLEN: how many tasks wait in a list that is used as a queue."""
    asked, answer = _LENGTH.search(context.command.line), re.fullmatch(r"(?:\(integer\) )?(\d+)", text.strip())
    if asked is None or answer is None:
        return []
    line = next(line for line in context.lines(text) if line.text.strip())
    name = asked[1].strip("'\"")
    return [context.fact("queue", safe_entity("queue", name), line, name=name, messages=int(answer[1]))]


def _slow(text: str, context: Context) -> Iterator[Fact]:
    """SLOWLOG GET: number, time, microseconds, the command with its arguments, the client and its name."""
    if "slowlog" not in context.command.line.lower():
        return
    values: list[tuple[str, Line]] = []
    for line in context.lines(text):
        if _ENTRY.match(line.text) and values:
            yield from _entry(values, context)
            values = []
        if bare := _NUMBERING.sub("", line.text).strip():
            values.append((bare, line))
    yield from _entry(values, context)


def _entry(values: list[tuple[str, Line]], context: Context) -> Iterator[Fact]:
    texts = [re.sub(r'^\(integer\) |^"|"$', "", value) for value, _ in values]
    took = number(texts[2]) if len(texts) > 3 else None
    if took is None:
        return
    client = next((at for at in range(4, len(texts)) if _CLIENT.fullmatch(texts[at])), len(texts))
    name = texts[client + 1] if client + 1 < len(texts) else ""
    yield context.fact(
        "sql",
        _server(context),
        values[3][1],
        statement=" ".join(texts[3:client])[:200],
        mean_seconds=round(took / 1_000_000, 3),
        wait_event=SLOWLOG,
        host=texts[client].rpartition(":")[0] if client < len(texts) else None,
        user=name or (texts[client].rpartition(":")[0] if client < len(texts) else None),
    )


def _config(text: str, context: Context) -> list[Fact]:
    """CONFIG GET: names and values by turns, numbered or bare; PING and errors."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    words = [(re.sub(r'^\d+\) "?|"$', "", line.text.strip()), line) for line in lines]
    if len(words) == 1:
        answer, line = words[0]
        if answer.upper() == "PONG" or answer.startswith(
            ("(error)", "NOAUTH", "LOADING", "MISCONF", "Could not connect", "Error")
        ):
            ok = answer.upper() == "PONG"
            return [
                context.fact(
                    "probe", _server(context), line, type="redis", target="redis", ok=ok, error=None if ok else answer
                )
            ]
        return []
    if "config" not in context.command.line.lower():
        return []
    pairs = list(zip(words[::2], words[1::2], strict=False))
    return [
        context.fact("setting", _server(context), line, name=name, value=_plain(value))
        for (name, _), (value, line) in pairs
    ]


PARSERS: Final = (
    Parser(
        "redis",
        parse,
        ("redis-cli", "valkey-cli", "keydb-cli"),
        looks=re.compile(r"^# (?:Memory|Server|Replication)\r?\n[a-z_]+:", re.MULTILINE),
    ),
)
