"""dig, nslookup, host, getent, /etc/hosts, /etc/resolv.conf: names and their addresses."""

import re
from typing import Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number
from domain.facts import Fact

_STATUS: Final = re.compile(r";; ->>HEADER<<-.*status: (\w+)")
_ANSWER: Final = re.compile(r"^(\S+?)\.?\s+(\d+)\s+IN\s+(A|AAAA|CNAME|SRV|MX|NS|TXT|PTR|SOA)\s+(.*)$")
_CUT: Final = re.compile(r"^;; Truncated, retrying in TCP mode|^;; flags:[^;]*\btc\b", re.MULTILINE)
_SERVER: Final = re.compile(r";; SERVER: (\S+?)(?:#\d+)?(?:\(| |$)")
_TIME: Final = re.compile(r";; Query time: (\d+) msec")
_FAILURE: Final = re.compile(
    r"(NXDOMAIN|SERVFAIL|REFUSED|connection timed out; no servers could be reached|communications error[^\n]*|"
    r"can't find [^\n]*|not found: 3\(NXDOMAIN\)|"
    r"no servers could be reached|Temporary failure in name resolution|Name or service not known|Try again|"
    r"can't resolve[^\n]*)"
)
_ADDRESS: Final = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}", re.IGNORECASE)
_NAME: Final = re.compile(r"Name:\s+(\S+?)\.?$|(\S+?)\.? has address |(?:\d{1,3}\.){3}\d{1,3}\s+(\S+)$")
_HOSTS_FILE: Final = re.compile(r"\s*([\d.]+|[0-9a-fA-F:]+)\s+([\w.-]+(?:\s+[\w.-]+)*)\s*(?:#.*)?$")


def parse(text: str, context: Context) -> list[Fact]:
    """One fact a query: its addresses, or why there are none."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    query, server = _asked(context)
    answers = [(match, line) for line in lines if (match := _ANSWER.match(line.text))]
    addresses = [match[4] for match, _ in answers if match[3] in ("A", "AAAA")] or _plain_addresses(lines, server)
    failure = _FAILURE.search(text)
    status = _STATUS.search(text)
    line = _telling(lines, answers, failure, addresses)
    if line is None:
        return []
    query = query or (answers[0][0][1] if answers else "")
    seconds = _TIME.search(text)
    told = _SERVER.search(text)
    code = (
        status[1]
        if status
        else "NXDOMAIN"
        if failure and "NXDOMAIN" in failure[0]
        else "SERVFAIL"
        if failure and not addresses
        else "NOERROR"
    )
    error = (
        failure[1].strip()
        if failure and not addresses
        else "truncated"
        if _CUT.search(text)
        else "no address"
        if status and not addresses and code == "NOERROR" and not answers
        else None
    )
    return [
        context.fact(
            "dns",
            _entity(query, context),
            line,
            query=query,
            status=code,
            addresses=sorted(set(addresses)),
            server=server or (told[1] if told else None),
            type=answers[0][0][3] if answers else None,
            ttl=int(answers[0][0][2]) if answers else None,
            seconds=int(seconds[1]) / 1000 if seconds else None,
            error=error,
            answered=_answered(query, answers, lines) if addresses else None,
        )
    ]


def _answered(query: str, answers: list[tuple[re.Match[str], Line]], lines: list[Line]) -> str | None:
    """The longer name that the answer is for, where a search domain was appended to the one that was asked."""
    names = [match[1] for match, _ in answers]
    names += [next(filter(None, match.groups())) for line in lines if (match := _NAME.match(line.text))]
    return next((name for name in names if query and name.lower().startswith(f"{query.lower()}.")), None)


def _asked(context: Context) -> tuple[str, str]:
    words = context.command.words[1:]
    server = next((word[1:] for word in words if word.startswith("@")), "")
    names = [
        word
        for word in words
        if re.search(r"[A-Za-z]", word) and not word.startswith(("-", "+", "@")) and word.upper() not in _TYPES
    ]
    names = [name for name in names if name not in ("ahosts", "ahostsv4", "hosts", "query")]
    extra = [word for word in words[1:] if _ADDRESS.fullmatch(word)]
    return (names[0].rstrip(".") if names else ""), server or next(iter(extra), "")


_TYPES: Final = ("A", "AAAA", "CNAME", "MX", "NS", "SRV", "TXT", "ANY", "PTR", "SOA")


def _plain_addresses(lines: list[Line], server: str) -> list[str]:
    """dig +short, getent, host, nslookup after its server's own address."""
    found: list[str] = []
    after_server = not any(line.text.startswith("Server:") for line in lines)
    for line in lines:
        if line.text.startswith("Name:"):
            after_server = True
        match = _ADDRESS.search(line.text) if after_server and not line.text.startswith((";", "Server")) else None
        if match and match[0] != server and ":" not in match[0][:1]:
            found.append(match[0])
    return found


def _telling(
    lines: list[Line], answers: list[tuple[re.Match[str], Line]], failure: re.Match[str] | None, addresses: list[str]
) -> Line | None:
    if failure and not addresses:
        return next((line for line in lines if failure[0].split("\n")[0] in line.text), lines[0])
    if answers:
        return answers[0][1]
    return next(
        (line for line in lines if any(address in line.text for address in addresses)), lines[0] if lines else None
    )


def _entity(query: str, context: Context) -> str:
    public = "." in query and not re.search(r"\.(?:svc|local|internal|lan|cluster)\b", query)
    return safe_entity("external" if public else "service", query, context.place)


def parse_resolv(text: str, context: Context) -> list[Fact]:
    """/etc/resolv.conf: the servers, search domains and options in one fact."""
    lines = [line for line in context.lines(text) if re.match(r"\s*(?:nameserver|search|options|domain)\s", line.text)]
    servers = [
        line.text.split()[1] for line in lines if line.text.split()[0] == "nameserver" and len(line.text.split()) > 1
    ]
    if not lines:
        return []
    search = [word for line in lines if line.text.split()[0] in ("search", "domain") for word in line.text.split()[1:]]
    options = [line for line in lines if line.text.split()[0] == "options"]
    facts = [context.fact("dns", context.place, lines[0], server=",".join(servers), search=search, type="resolv.conf")]
    return facts + [
        context.fact("setting", context.place, line, name="resolv.conf options", value=line.text.split(None, 1)[1])
        for line in options
    ]


def parse_hosts(text: str, context: Context) -> list[Fact]:
    """/etc/hosts: names that never ask a server."""
    return [
        context.fact(
            "dns", _entity(name, context), line, query=name, addresses=[match[1]], type="hosts", status="NOERROR"
        )
        for line in context.lines(text)
        if not line.text.lstrip().startswith("#") and (match := _HOSTS_FILE.match(line.text))
        for name in match[2].split()[:4]
        if number(name) is None
    ]


PARSERS: Final = (
    Parser(
        "resolv.conf",
        parse_resolv,
        files=("*/resolv.conf",),
        looks=re.compile(r"\A(?:#.*\n)*(?:nameserver|search) \S+"),
    ),
    Parser("hosts", parse_hosts, files=("/etc/hosts",), looks=re.compile(r"\A127\.0\.0\.1\s+localhost")),
    Parser(
        "dig",
        parse,
        (
            "dig",
            "nslookup",
            "host",
            "getent hosts",
            "getent ahosts",
            "getent ahostsv4",
            "getent ahostsv6",
            "resolvectl query",
            "drill",
            "kdig",
        ),
        looks=re.compile(r"\A; <<>> DiG |\AServer:\s+\S+\nAddress:"),
    ),
)
