"""Whose fault it is: what a client says of its server is the server's, and an address is the one who has it."""

import re
from dataclasses import replace
from typing import Final

from analysis.case import Case
from domain.entity import kind_of, name_of
from domain.evidence import Finding
from domain.fault import family_of, is_fault
from domain.runbook import Runbook

# Of these faults a server's clients complain in its words, so that client and server tell of one fault.
SERVED: Final = ("cache", "database", "queue", "replication", "tls")
_KINDS: Final = {
    "credentials.store_sealed": "secrets",
    "config.replication_factor": "queue",
    "database.pooler_clients": "pooler",
    "database.pooler_parameter": "pooler",
    "database.pooler_pool_full": "pooler",
    "database.query_queue_full": "store",
    "disk.flood_stage": "database",
    "memory.circuit_breaker": "database",
}  # faults that are a server's, in a family that is not
# Faults of a client or of what stands between, in a family that is a server's.
_CLIENTS: Final = (
    "database.client_pool_small", "database.connection_leak", "database.migration_half_done", "database.migration_lock",
    "database.pooler_mode", "queue.heartbeat_missed", "queue.poll_interval", "queue.redelivered_early",
    "queue.task_unknown", "replication.log_removed",
)  # fmt: skip
_ADDRESS: Final = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|\[[0-9a-fA-F:]+\](?::\d+)?")
_LOG_FILE: Final = re.compile(r"/(?:overlay-)?containers/([0-9a-f]{64})(?:/|$)")
_CALLED: Final = {
    "cache": re.compile(r"redis|valkey|memcache|keydb|cache|dragonfly"),
    "database": re.compile(
        r"postgres|pgsql|\bpg|mysql|maria|mongo|cockroach|\bdb\b|[-_]db|db[-_\d]|database|rds|sql|etcd|elastic|opensearch|clickhouse|influx"
    ),
    "pooler": re.compile(r"pgbouncer|pgcat|odyssey|proxysql|pooler"),
    "queue": re.compile(r"rabbit|kafka|amqp|nats|pulsar|activemq|queue|broker|\bmq|[-_]mq"),
    "store": re.compile(r"loki|mimir|tempo|cortex|thanos|clickhouse"),
    "secrets": re.compile(r"vault|\bbao|openbao|secrets?\b"),
}
_IMAGE: Final = re.compile(
    r"(?:^|/)(?:postgres|postgis|timescale|mysql|mariadb|percona|mongo|cockroach|pgvector)[\w.-]*(?::|@|$)"
)
_FACTS: Final = {
    "cache": ("cache",), "database": ("session", "sql", "replication"), "queue": ("queue",), "tls": ("certificate",),
}  # fmt: skip


def sided(case: Case, finding: Finding) -> Finding:
    """The finding about the one who is at fault, as far as the case tells; otherwise as it is."""
    if not is_fault(finding.kind):
        return finding
    if owner := _owner(case, finding.entity) or _of_log_file(case, finding):
        return replace(finding, entity=owner)
    if callee := _named_host(case, finding) or _served_by(case, finding) or _only_database(case, finding):
        return replace(finding, entity=callee)
    return finding


def serves(case: Case, fault: str, a: str, b: str) -> bool:
    """Whether one of them is the server of the other, and both tell of one fault of it."""
    if not _kind(fault):
        return False
    return _calls(case, a, b) or _calls(case, b, a)


def _kind(fault: str) -> str:
    """The kind of server whose fault it is; nothing for a fault that is not a server's."""
    if fault in _CLIENTS:
        return ""
    return _KINDS.get(fault) or (family if (family := family_of(fault)) in SERVED else "")


def _calls(case: Case, caller: str, callee: str) -> bool:
    return any(case.inventory.same(each, callee) for each in case.inventory.callees(caller))


def _owner(case: Case, of: str) -> str | None:
    """Who has the address that the entity is called by."""
    if not _ADDRESS.fullmatch(name_of(of)):
        return None
    owner = case.inventory.resolve(name_of(of))
    return owner if owner and owner != of and not _ADDRESS.fullmatch(name_of(owner)) else None


def _of_log_file(case: Case, finding: Finding) -> str | None:
    """The container whose log file is named: the engine's folder for it bears its id."""
    told = _LOG_FILE.search(finding.captures.get("path", ""))
    return case.inventory.resolve(told[1], "container") if told else None


def _named_host(case: Case, finding: Finding) -> str | None:
    """The host that a client cannot resolve or reach, where the client is known to need it by that name."""
    host = finding.captures.get("host", "").rstrip(".")
    if not host or family_of(finding.kind) != "dns":
        return None
    return next((each for each in case.inventory.callees(finding.entity) if name_of(each) == host), None)


def _served_by(case: Case, finding: Finding) -> str | None:
    """The one server of the kind at fault that the client needs; nothing where the finding names or is a server."""
    kind, runbook = _kind(finding.kind), case.by_fault.get(finding.kind)
    if not kind or not _complains(finding, runbook) or _fits(case, kind, finding.entity):
        return None
    fitting = [each for each in case.inventory.callees(finding.entity) if _fits(case, kind, each)]
    if not fitting:  # nobody tells whom it needs: the only server of the kind that runs here
        running = dict.fromkeys(fact.entity for fact in case.facts if fact.kind == "container")
        fitting = [each for each in running if _fits(case, kind, each)]
    if len(fitting) > 1:  # a balancer is called after what stands behind it: the image tells who the server is
        fitting = [each for each in fitting if _runs_database(case, each)]
    return fitting[0] if len(fitting) == 1 else None


def _runs_database(case: Case, of: str) -> bool:
    images = (str(f.attributes.get("image")) for f in case.facts if f.kind == "container" and f.entity == of)
    return any(_IMAGE.search(image) for image in images)


def _only_database(case: Case, finding: Finding) -> str | None:
    """The one container of a database's image, where a client's answer names no more than itself or a schema."""
    known = case.inventory.resolve(name_of(finding.entity), "container")
    if kind_of(finding.entity) != "database" or (known and kind_of(known) == "container"):
        return None
    images = {f.entity: str(f.attributes.get("image")) for f in case.facts if f.kind == "container"}
    found = [of for of, image in images.items() if _IMAGE.search(image)]
    return found[0] if len(found) == 1 else None


def _complains(finding: Finding, runbook: Runbook | None) -> bool:
    """Whether it is a text signature without a captured entity: somebody says so, of himself or of another."""
    if runbook is None or kind_of(finding.entity) not in ("service", "container", "pod", "process"):
        return False
    of = next((s for s in runbook.signatures if f"{runbook.name}/{s.id}" == finding.signature), None)
    return of is not None and of.text is not None and "?P<entity>" not in of.text


def _fits(case: Case, kind: str, of: str) -> bool:
    """Whether the entity is a server of that kind: by what was read of it, its kind, its name or its image."""
    known = [fact for fact in case.facts if case.inventory.same(fact.entity, of) or name_of(fact.entity) == name_of(of)]
    if kind_of(of) == kind or any(fact.kind in _FACTS.get(kind, ()) for fact in known):
        return True
    words = [name_of(of), *(str(fact.attributes.get("image") or "") for fact in known if fact.kind == "container")]
    called = _CALLED.get(kind)
    return called is not None and any(called.search(word.lower()) for word in words)


def first_needed(case: Case, fault: str, entities: list[str]) -> list[str]:
    """The entities; of a fault that clients tell of their server, those first that others of them need."""
    if not _kind(fault):
        return entities
    return sorted(entities, key=lambda of: not any(_calls(case, other, of) for other in entities if other != of))
