"""ping, traceroute, tracepath, curl, wget, nc, telnet, grpc and database pings: what can be reached."""

import re
from itertools import pairwise
from typing import Any, Final
from urllib.parse import urlsplit

from analysis.captures.addressed import target_entity
from analysis.captures.context import HOST, Context, Line, Parser
from analysis.captures.units import number
from domain.entity import entity
from domain.facts import Fact

_PING: Final = re.compile(r"(\d+) packets transmitted, (\d+) (?:packets )?received.*?([\d.]+)% packet loss")
_REPLY: Final = re.compile(r"\d+ bytes from .*\bttl=\d+")
_RTT: Final = re.compile(r"(?:rtt|round-trip) min/avg/max(?:/\S+)? = ([\d.]+)/([\d.]+)/([\d.]+)")
_PING_ERROR: Final = re.compile(
    r"(message too long, mtu=?\s?(\d+)|Frag(?:mentation)? needed.*?(?:mtu = (\d+))?|Destination (?:Host|Net|"
    r"Port) (?:Unreachable|Prohibited)|"
    r"Network is unreachable|(?:unknown host|Name or service not known|bad address|"
    r"Temporary failure in name resolution).*|Time to live exceeded)"
)
_URL_OPTIONS: Final = ("-x", "--proxy", "-e", "--referer", "-H", "--header", "-d", "--data", "-A", "-b", "--preproxy")
_DATE: Final = re.compile(r"(?i)^(?:<\s+|\s*)date: (\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT)$")
_SERVER: Final = re.compile(r"(?i)^(?:<\s+|\s*)server: (\S.*)$")
_STATUS: Final = re.compile(r"^(?:<\s+|\s*)HTTP/([\d.]+) (\d{3})(?: (.*))?$")
_CURL_ERROR: Final = re.compile(r"curl: \((\d+)\) (.*)")
_EXIT: Final = re.compile(r"^(?:rc|exit(?: code)?|ret|status|\$\?)\s*[=:]\s*(\d+)\s*$")
_CURL_CODES: Final = {
    3: "malformed URL", 5: "could not resolve proxy", 6: "could not resolve host",
    7: "connection refused or failed to connect", 22: "HTTP error status",
    28: "operation timed out", 35: "TLS handshake failed", 47: "too many redirects",
    51: "certificate name does not match", 52: "empty reply from server",
    55: "failed sending data", 56: "failure receiving data, connection reset",
    58: "problem with the client certificate", 60: "certificate verification failed",
    77: "CA certificates could not be read",
}  # fmt: skip
_TIME: Final = re.compile(r"time_(\w+):?\s*=?\s*([\d.]+)")
_CODE: Final = re.compile(r"(?:http_code|code|status)?[:= ]*([1-5]\d\d|000)\b")
_NC: Final = re.compile(
    r"(succeeded!|open\b|Connected to|refused|timed out|Connection timed out|No route to host|unreachable|"
    r"Name or service not known|getaddrinfo|bad address|failed)",
    re.IGNORECASE,
)
_HOP: Final = re.compile(r"\s*(\d+)[:?]?\s+(\S+)")
_PMTU: Final = re.compile(r"pmtu (\d+)")
_FAILED: Final = re.compile(
    r"refused|timed out|unreachable|no route|not known|could not|couldn't|failed|error|reset by peer|empty reply|"
    r"bad address|denied",
    re.IGNORECASE,
)


def parse_ping(text: str, context: Context) -> list[Fact]:
    """ping: loss, round trip, or why it failed."""
    target = _last_word(context)
    lines = [line for line in context.lines(text) if line.text.strip()]
    loss = next(((match, line) for line in lines if (match := _PING.search(line.text))), None)
    rtt = next(((match, line) for line in lines if (match := _RTT.search(line.text))), None)
    error = next(((match, line) for line in lines if (match := _PING_ERROR.search(line.text))), None)
    reply = next((line for line in lines if _REPLY.match(line.text)), None)
    line = (error or loss or rtt or (None, reply))[1]
    if line is None:
        return []
    share = float(loss[0][3]) if loss else None
    ok = error is None and (share < 100 if share is not None else True)
    mtu = number((error[0][2] or error[0][3] or "") if error else "")
    return [
        context.fact(
            "probe",
            target_entity(target, context),
            line,
            type="ping",
            target=target,
            ok=ok,
            loss_percent=share,
            actual=mtu,
            seconds=float(rtt[0][2]) / 1000 if rtt else None,
            error=error[0][1] if error else None,
            host=target,
            size=number(context.command.value("-s")),
        )
    ]


def _last_word(context: Context) -> str:
    """The host that ping and traceroute were asked for: it stands last."""
    words = [word for word in context.command.words[1:] if not word.startswith("-")]
    return words[-1] if words else ""


def _operand(context: Context) -> str:
    """The host or URL a program was asked to reach: its last operand that looks like one."""
    words = [word for word in context.command.plain.split()[1:] if not word.startswith(("%", "{", "'"))]
    urls = _urls(context.command.words) or [word for word in words if "://" in word]
    named = [
        word
        for word in words
        if re.fullmatch(r"[\w.:\[\]-]*[A-Za-z.][\w.:\[\]/-]*", word) and not word.isdigit() and "/dev/" not in word
    ]
    return (urls or named or words or [""])[0]


def _urls(words: tuple[str, ...]) -> list[str]:
    """URLs behind an option that takes a value in other programs, but not here: `curl -i URL`, `curl -f URL`."""
    return [word for before, word in pairwise(words) if re.match(r"https?://", word) and before not in _URL_OPTIONS]


def parse_curl(text: str, context: Context) -> list[Fact]:
    """curl and wget: status, error and times of one request; a body alone is a success without a status."""
    target = _operand(context)
    if "://" not in target and not re.search(r"[.:]|localhost", target):
        return []
    lines = [line for line in context.lines(text) if line.text.strip()]
    told, telling = _response(lines, context)
    if telling is None:
        return []
    return [
        context.fact(
            "probe",
            target_entity(target, context),
            telling,
            type="http",
            target=target,
            host=urlsplit(target).hostname if "://" in target else None,
            port=_port(target),
            asker=context.host if context.host != entity("host", HOST) else None,
            address=_sent_to(context),
            server=found[0][1].strip() if (found := _last(_SERVER, lines)) else None,
            **told,
        ),
        *_server_clock(target, lines, context),
    ]


def _sent_to(context: Context) -> str | None:
    """The address that curl was told to ask instead of what the name resolves to."""
    told = context.command.value("--resolve", "--connect-to").split(":", 2)
    return told[2].strip("[]") if len(told) > 2 else None


def _server_clock(target: str, lines: list[Line], context: Context) -> list[Fact]:
    """What time the server thinks it is, from the Date of its answer."""
    found = _last(_DATE, lines)
    return [context.fact("clock", target_entity(target, context), found[1], utc=found[0][1])] if found else []


def _port(target: str) -> int | None:
    match = re.search(r"://[^/]*?:(\d+)(?:/|$)", target)
    return int(match[1]) if match else {"http": 80, "https": 443}.get(target.partition(":")[0])


def _response(lines: list[Line], context: Context) -> tuple[dict[str, Any], Line | None]:
    if found := _last(_CURL_ERROR, lines):
        match, line = found
        return {"ok": False, "error": f"curl {match[1]}: {match[2]}", "actual": int(match[1])}, line
    if (found := _last(_EXIT, lines)) and found[0][1] != "0":
        code = int(found[0][1])
        return {"ok": False, "error": f"exit code {code}: {_CURL_CODES.get(code, 'failed')}", "actual": code}, found[1]
    if found := _last(_STATUS, lines):
        status = int(found[0][2])
        return {
            "ok": status < 400,
            "status": str(status),
            "error": None if status < 400 else f"HTTP {status} {found[0][3] or ''}".strip(),
        }, found[1]
    if "%{" in context.command.line and lines and (written := _written(lines[-1])):
        return written, lines[-1]
    failed = next((line for line in lines if _FAILED.search(line.text) and len(line.text) < 300), None)
    if failed is not None and not failed.text.lstrip().startswith(("{", "<")):
        return {"ok": False, "error": failed.text.strip()}, failed
    return ({"ok": True, "body": lines[0].text.strip()[:200]}, lines[0]) if lines else ({}, None)


def _last(pattern: re.Pattern[str], lines: list[Line]) -> tuple[re.Match[str], Line] | None:
    return next(((match, line) for line in reversed(lines) if (match := pattern.search(line.text))), None)


def _written(line: Line) -> dict[str, Any]:
    """What -w printed: a status, times."""
    code = _CODE.search(line.text)
    times = {name: float(value) for name, value in _TIME.findall(line.text)}
    if code is None and not times:
        return {}
    status = code[1] if code else None
    ok = None if status is None else status != "000" and int(status) < 400
    error = {"000": "no answer"}.get(status or "", f"HTTP {status}" if ok is False else "")
    return {"ok": ok, "status": status, "seconds": times.get("total"), "error": error}


def parse_nc(text: str, context: Context) -> list[Fact]:
    """nc -zv, telnet, bash /dev/tcp, pg_isready, redis-cli ping: whether a port answers."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    found = _last(_NC, lines)
    words = [word for word in context.command.words[1:] if not word.startswith("-")]
    port = next((int(word) for word in words if word.isdigit() and int(word) > 20), None)
    host = next((word for word in words if not word.isdigit()), "")
    if found is None or not host:
        return []
    ok = found[0][1].lower() in ("succeeded!", "open", "connected to")
    target = f"{host}:{port}" if port else host
    return [
        context.fact(
            "probe",
            target_entity(target, context),
            found[1],
            type="tcp",
            target=target,
            ok=ok,
            host=host,
            port=port,
            error=None if ok else found[1].text.strip()[:200],
        )
    ]


def parse_trace(text: str, context: Context) -> list[Fact]:
    """traceroute, tracepath, mtr: hops, where it ends, and the path's MTU."""
    target = _last_word(context)
    hops = [
        (match, line)
        for line in context.lines(text)
        if (match := _HOP.match(line.text)) and not line.text.startswith("traceroute")
    ]
    if not hops:
        return []
    silent = [match[2] in ("*", "no", "???") for match, _ in hops]
    mtus = [int(value) for value in _PMTU.findall(text)]
    line = next((line for _, line in hops if mtus and f"pmtu {min(mtus)}" in line.text), hops[-1][1])
    last = next((match[2] for match, _ in reversed(hops) if match[2] not in ("*", "no", "???")), None)
    return [
        context.fact(
            "probe",
            target_entity(target, context),
            line,
            type="trace",
            target=target,
            ok=not silent[-1],
            hops=int(hops[-1][0][1]),
            actual=min(mtus) if mtus else None,
            error=f"no answer after {last}" if silent[-1] else None,
        )
    ]


def parse_ready(text: str, context: Context) -> list[Fact]:
    """pg_isready, mysqladmin ping, redis-cli ping, rabbitmq-diagnostics check_*: whether a server answers."""
    line = next((line for line in context.lines(text) if line.text.strip()), None)
    if line is None:
        return []
    ok = (
        bool(re.search(r"accepting connections|is alive|\bPONG\b|succeeded|ping successful|\bOK\b", line.text))
        and "not" not in line.text
    )
    target = context.command.value("-h", "--host") or context.command.inside or context.command.program
    return [
        context.fact(
            "probe",
            context.command.inside or target_entity(target, context),
            line,
            type=context.command.program,
            target=target,
            ok=ok,
            error=None if ok else line.text.strip()[:200],
            body=line.text.strip()[:200] if ok else None,
        )
    ]


PARSERS: Final = (
    Parser("ping", parse_ping, ("ping", "ping6", "fping"), looks=re.compile(r"\APING \S+ .*bytes of data")),
    Parser(
        "curl",
        parse_curl,
        ("curl", "wget", "http", "httpie"),
        looks=re.compile(r"\A(?:curl: \(\d+\)|\* (?:Trying|Host|Rebuilt)|HTTP/[\d.]+ \d{3})"),
    ),
    Parser("nc", parse_nc, ("nc", "ncat", "netcat", "telnet")),
    Parser(
        "traceroute",
        parse_trace,
        ("traceroute", "tracepath", "mtr"),
        looks=re.compile(r"\Atraceroute to |\A 1\?: \[LOCALHOST\]"),
    ),
    Parser(
        "ready",
        parse_ready,
        ("pg_isready", "mysqladmin ping", "redis-cli ping", "redis-cli PING", "rabbitmq-diagnostics"),
    ),
)
