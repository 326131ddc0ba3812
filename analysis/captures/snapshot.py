"""host/snapshot.json and network/probes.json: typed facts as they are, or lists of records by kind."""

from typing import Any, Final

from analysis.captures.context import Context, safe_entity
from analysis.captures.jsons import Json
from analysis.captures.readings import notes_of
from domain.entity import is_entity
from domain.facts import FACTS, Fact, attributes_of

_PLURALS: Final = {
    "filesystems": "filesystem", "processes": "process", "disks": "disk", "interfaces": "interface",
    "sockets": "socket",
    "routes": "route", "limits": "limit", "settings": "setting", "sysctl": "setting", "packages": "package",
    "probes": "probe",
    "certificates": "certificate", "containers": "container", "units": "unit", "events": "event", "sessions": "session",
    "queues": "queue", "files": "file", "versions": "version", "memory": "memory", "load": "load",
}  # fmt: skip
_NAMES: Final = ("entity", "name", "target", "mount", "device", "command", "host", "query", "path")
_ENTITIES: Final = {
    "filesystem": "disk", "disk": "disk", "process": "process", "interface": "network", "route": "network",
    "socket": "network",
    "firewall": "network", "probe": "service", "dns": "network", "certificate": "certificate", "container": "container",
    "pod": "pod", "volume": "volume", "docker_network": "network", "queue": "queue", "session": "database",
    "unit": "service",
}  # fmt: skip
_OTHER_NAMES: Final = {
    "total": "size",
    "free": "available",
    "percent": "use_percent",
    "fstype": "type",
    "mountpoint": "mount",
}
_STATES: Final = {"type": {"dns": "dns", "tls": "certificate", "certificate": "certificate"}}


def snapshot_facts(document: Json, context: Context) -> list[Fact]:
    """Facts of a snapshot; what has no known form becomes notes, so that nothing is lost."""
    if isinstance(document, list):
        return [fact for item in document for fact in _record(item, _kind_of(item), context)]
    if not isinstance(document, dict):
        return []
    facts: list[Fact] = []
    for key, value in document.items():
        facts += _section(str(key), value, context)
    return facts


def _section(key: str, value: Json, context: Context) -> list[Fact]:
    kind = _PLURALS.get(key, key)
    if key == "facts" and isinstance(value, list):
        return [fact for item in value for fact in _record(item, _kind_of(item), context)]
    if kind == "setting" and isinstance(value, dict) and "name" not in value:
        value = [{"name": name, "value": item} for name, item in value.items()]
    if kind in FACTS and isinstance(value, list | dict):
        items = value if isinstance(value, list) else [value]
        return [
            fact for item in items for fact in _record(item, kind if kind != "probe" else _kind_of(item, kind), context)
        ]
    return notes_of({key: value}, context)


def _kind_of(item: Json, otherwise: str = "probe") -> str:
    """The kind a record says it is; of a probe's type, the kind of fact that it yields."""
    if not isinstance(item, dict):
        return otherwise
    kind = str(item.get("kind") or otherwise)
    return _STATES["type"].get(str(item.get("type")), kind) if kind == "probe" else kind


def _record(item: Json, kind: str, context: Context) -> list[Fact]:
    if not isinstance(item, dict) or kind not in FACTS:
        return notes_of(item, context)
    told = {**item, **item["attributes"]} if isinstance(item.get("attributes"), dict) else item
    known = attributes_of(kind)
    renamed = {
        (_OTHER_NAMES[key] if key not in known and _OTHER_NAMES.get(key) in known else key): value
        for key, value in told.items()
    }
    attributes = {key: _plain(value) for key, value in renamed.items() if key in known}
    of = _entity(kind, told, context)
    return [context.fact(kind, of, None, context.time(_moment(told)), **attributes)]


def _moment(told: dict[str, Any]) -> Any:
    moment = told.get("at") or told.get("time") or told.get("timestamp")
    return moment if isinstance(moment, str | int | float) else None


def _entity(kind: str, told: dict[str, Any], context: Context) -> str:
    named = next((str(told[name]) for name in _NAMES if told.get(name)), "")
    return (
        named
        if is_entity(named)
        else safe_entity(_ENTITIES.get(kind, "host"), named if kind in _ENTITIES else "", context.host)
    )


def _plain(value: Json) -> Any:
    """A scalar or a list of scalars; a mapping becomes `k=v`."""
    if isinstance(value, dict):
        return [f"{key}={item}" for key, item in value.items()]
    if isinstance(value, list):
        return [item if isinstance(item, str | int | float | bool) or item is None else str(item) for item in value]
    return value
