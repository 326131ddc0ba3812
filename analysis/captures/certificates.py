"""openssl x509, s_client, verify, certbot, and what curl -v says of a certificate."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from analysis.captures.addressed import target_entity
from analysis.captures.command import Command, parse_command
from analysis.captures.context import Context, Line, Parser, safe_entity
from domain.facts import Fact

_FIELDS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("not_before", re.compile(r"(?:notBefore=|Not Before\s*: |start date: )(.*)")),
    (
        "not_after",
        re.compile(
            r"(?:notAfter=|Not After\s*: |expire date: |NotAfter: |Expiry Date: |Valid from: .* until: )([^;(]*)"
        ),
    ),
    ("subject", re.compile(r"^\s*\*?\s*(?:subject\s*[=:]|Subject:|Owner:)\s*(.*)")),
    ("issuer", re.compile(r"^\s*\*?\s*(?:issuer\s*[=:]|Issuer:)\s*(.*)")),
    ("serial", re.compile(r"serial=(\S+)")),
    (
        "error",
        re.compile(
            r"(?:verify error:num=\d+:|Verify return code: [1-9]\d* \(|error \d+ at \d+ depth lookup:\s?)([^)\n]+)"
        ),
    ),
)
_VERIFY: Final = re.compile(r"Verify return code: (\d+)")
_NAMES: Final = re.compile(r"DNS:([\w.*-]+)")
_OPENSSL: Final = re.compile(r"([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4}) (?:GMT|UTC)")
_KEYTOOL: Final = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d) (?:GMT|UTC) (\d{4})")
_URL: Final = re.compile(r"https://([\w.-]+)")
_LOOP: Final = re.compile(r"\bfor (?P<name>\w+) in (?P<words>[^;]+);\s*do\s+(?P<body>.+?);?\s*done\b")
_CN: Final = re.compile(r"CN\s*=\s*([^,/\n]+)")


def parse(text: str, context: Context) -> list[Fact]:
    """One fact for each certificate that the command line asks for."""
    steps, parts = _steps(context.command.line), _parts(text, context)
    if len(steps) < 2 or len(steps) != len(parts):
        return _one(text, context)
    return [
        fact
        for step, (first, part) in zip(steps, parts, strict=True)
        for fact in _one(part, replace(context, command=_asking(step, context), first_line=first))
    ]


def _steps(line: str) -> list[str]:
    """The commands of a line that print a certificate; a loop's body once for each of its words."""
    if match := _LOOP.search(line):
        return [re.sub(rf"\$\{{?{match['name']}\b\}}?", word, match["body"]) for word in match["words"].split()]
    return [step for step in re.split(r"\s*(?:;|&&)\s*", line) if "openssl" in step]


def _asking(step: str, context: Context) -> Command:
    """The step as it would stand alone, run where the whole line ran."""
    command = parse_command(step, context.command.host)
    return replace(command, inside=command.inside or context.command.inside)


def _parts(text: str, context: Context) -> list[tuple[int, str]]:
    """The output of each command, with the number of its first line: the next begins where a field is told again."""
    parts: list[list[Line]] = [[]]
    seen: set[str] = set()
    for line in context.lines(text):
        name = next((name for name, pattern in _FIELDS if pattern.match(line.text)), "")
        if name and name in seen:
            parts.append([])
            seen = set()
        seen |= {name} if name else set()
        parts[-1].append(line)
    return [(part[0].number, "\n".join(line.text for line in part)) for part in parts if part]


def _one(text: str, context: Context) -> list[Fact]:
    """One fact of the leaf certificate; the quote is the line of its end, or of the error."""
    told: dict[str, Any] = {}
    lines: dict[str, Line] = {}
    for line in context.lines(text):
        for name, pattern in _FIELDS:
            if name not in told and (match := pattern.search(line.text)):
                told[name], lines[name] = match[1].strip(), line
    numbered = "serial" in lines and context.command.program == "openssl" and context.command.has("-in")
    if not lines.keys() & {"not_after", "error", "subject"} and not numbered:
        return []
    verify = _VERIFY.search(text)
    code = int(verify[1]) if verify else None
    end = _end(told.get("not_after"), context)
    days = _days(end, context.clock.now)
    subject = told.get("subject")
    telling = lines.get("error") or lines.get("not_after") or lines.get("subject") or lines["serial"]
    return [
        context.fact(
            "certificate",
            _entity(subject, context),
            telling,
            **told,
            days_left=days,
            names=_NAMES.findall(text),
            verify_code=code,
            server=_server(context),
            container=context.command.inside or None,
            chain_ok=None if code is None else code == 0,
            path=next((p for p in context.command.paths() if p.startswith("/")), None),
            self_signed=True
            if "self-signed" in text or "self signed" in text or (subject and subject == told.get("issuer"))
            else None,
        )
    ]


def _end(told: str | None, context: Context) -> datetime | None:
    """When it ends. OpenSSL writes the year last, where a log line's stamp has none."""
    match = _OPENSSL.fullmatch(_KEYTOOL.sub(r"\1 \2 UTC", (told or "").strip()))
    return context.time(f"{match[2]} {match[1]} {match[4]} {match[3]} +0000") if match else context.time(told)


def _days(end: datetime | None, now: datetime) -> float | None:
    """How long it holds; one that has ended never rounds to 0."""
    if end is None:
        return None
    days = round((end - now).total_seconds() / 86400, 2)
    return min(days, -0.01) if end < now else days


def _server(context: Context) -> str:
    """The name by which a server was asked for what it presents; empty where a file was read."""
    asked = context.command.value("-servername") or context.command.value("-connect")
    if not asked and context.command.program == "curl":
        asked = next((match[1] for word in context.command.words if (match := _URL.match(word))), "")
    return re.sub(r":\d+$", "", asked)


def _entity(subject: str | None, context: Context) -> str:
    """The host that was asked, else the common name, else the file."""
    target = context.command.value("-connect", "-servername")
    if target:
        return safe_entity("certificate", re.sub(r":\d+$", "", target), target_entity(target, context))
    named = _CN.search(subject or "")
    return safe_entity(
        "certificate", named[1].strip() if named else (subject or next(iter(context.command.paths()), "unknown"))
    )


PARSERS: Final = (
    Parser(
        "openssl",
        parse,
        ("openssl", "certbot", "step certificate", "keytool", "curl -v"),
        looks=re.compile(
            r"notAfter=|\ACertificate:\n\s+Data:|\ACONNECTED\(|^\s*Not After\s*:|^\*\s+expire date: |"
            r"^Valid from: .* until: ",
            re.MULTILINE,
        ),
    ),
)
