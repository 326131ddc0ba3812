"""A client that asks its own loopback although its environment names a server elsewhere: the variable is not read."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.entity import kind_of
from domain.evidence import Citation, Finding
from domain.facts import Fact

NAME: Final = "server asked at loopback"
_REFUSED: Final = re.compile(
    r"(?i)(?:refused|ECONNREFUSED|can't connect|could not connect|failed to connect|connect(?:ion)? (?:failed|error))"
)
_LOCAL: Final = re.compile(
    r"(?i)(?:\b127\.0\.0\.1|\[?::1\]?|\blocalhost)"
    r"(?:\"?,? (?:\([^)]*\),? )?port |\\?\"? \([^)]*\), port |:)(?P<port>\d{4,5})\b"
)
_HOST: Final = re.compile(
    r"^(?P<name>[A-Z][A-Z0-9_]*(?:HOST(?:NAME)?|SERVER|ADDR(?:ESS)?|URL|URI|DSN))=(?P<value>\S+)$"
)
_BY_PORT: Final = {
    "5432": r"^(?:DB|DATABASE|PG|POSTGRES|SQL)|POSTGRES", "3306": r"^(?:DB|DATABASE|MYSQL|MARIADB|SQL)|MYSQL",
    "1433": r"^(?:DB|DATABASE|MSSQL|SQL)", "27017": r"^(?:DB|DATABASE|MONGO)|MONGO", "6379": r"REDIS|CACHE|VALKEY",
    "5672": r"RABBIT|AMQP|MQ|BROKER|QUEUE", "9092": r"KAFKA|BROKER", "9200": r"ELASTIC|^ES_|OPENSEARCH|SEARCH",
    "11211": r"MEMCACHE|CACHE", "1025": r"SMTP|MAIL",
}  # fmt: skip
_LOOPBACK: Final = re.compile(r"(?i)localhost|127\.0\.0\.1|::1|\b0\.0\.0\.0")
_SHARED: Final = ("host", "container:", "service:")


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each container that is refused at its own loopback by a server that a variable puts elsewhere."""
    told: set[str] = set()
    for finding in case.findings:
        for citation in finding.citations:
            port = _port(citation)
            at = _container(case, finding) if port else None
            found = _elsewhere(case.facts[at], port) if at is not None else None
            if at is not None and found and (of := case.facts[at].entity) not in told:
                told.add(of)
                fact = Fact("note", of, {"name": NAME, "text": found, "value": int(port)})
                yield JoinedFact(fact, (citation, *case.cite(at, "env")), finding.onset)


def _port(citation: Citation) -> str:
    line = citation.quote or ""
    match = _LOCAL.search(line) if _REFUSED.search(line) else None
    return match["port"] if match and match["port"] in _BY_PORT else ""


def _container(case: Case, finding: Finding) -> int | None:
    """The container that complains, with a network of its own and an environment that is known."""
    for at, fact in enumerate(case.facts):
        if fact.kind == "container" and kind_of(fact.entity) == "container" and any(texts(fact.attributes, "env")):
            own = not str(fact.attributes.get("network_mode") or "").startswith(_SHARED)
            if own and case.inventory.same(fact.entity, finding.entity):
                return at
    return None


def _elsewhere(fact: Fact, port: str) -> str:
    """`NAME=host` of a server of that kind elsewhere; nothing where none, or loopback, is set."""
    fitting = [
        match
        for variable in texts(fact.attributes, "env")
        if (match := _HOST.match(variable)) and re.search(_BY_PORT[port], match["name"])
    ]
    if any(_LOOPBACK.search(match["value"]) for match in fitting):
        return ""
    return next((f"{match['name']}={_bare(match['value'])}" for match in fitting), "")


def _bare(value: str) -> str:
    """A URL's host alone: what stands before it may be a password."""
    return re.sub(r"^\w[\w+.-]*://(?:[^@/]*@)?", "", value).partition("/")[0][:80]
