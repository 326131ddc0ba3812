"""Any JSON object: finds an alert's fields by their usual names, however written, at the usual depths."""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import Final

from alerts import reading, words
from domain.alert import Alert, AlertStatus
from domain.codec import Json

NAME: Final = "generic"
_LISTS: Final = ("alerts", "events", "incidents", "messages", "notifications", "problems", "violations")
_SURE_LISTS: Final = ("alerts",)  # of which each entry is an alert, whatever it looks like
_INNER: Final = (
    "alert", "incident", "issue", "data", "attributes", "item", "event", "payload", "checkresult", "check", "monitor",
    "trigger", "rule", "triggeredcondition", "stream", "heartbeat", "context", "details", "fault", "error", "problem",
    "workflowrun", "checkrun", "alertgroup", "savedsearch", "metadata", "fields", "component", "componentupdate",
    "webhookeventdata", "downtime", "attachments", "embeds", "state", "result",
)  # fmt: skip
_NAMES: Final = (
    "alertname", "alertrulename", "rulename", "alerttitle", "checkname", "monitorname", "monitorfriendlyname",
    "conditionname", "eventdefinitiontitle", "problemtitle", "problemname", "searchname", "triggername", "alarmname",
    "sensorname", "servicedesc", "servicedescription", "entitydisplayname", "trigger", "alert", "alarm", "title",
    "shortdescription", "name", "messagetitle", "subject", "exceptionclass", "errorclass", "sensor", "monitor",
    "summary",
    "message", "rule", "policyname", "check", "errormessage", "event", "hostname", "detector", "description", "msg",
    "text", "error", "info", "memo", "subtype", "alerttype", "type",
)  # fmt: skip
_SUMMARIES: Final = (
    "summary", "message", "description", "details", "body", "text", "msg", "reason", "output", "error", "alertdetails",
    "longdescription", "resultdescription", "messagebody", "statemessage", "serviceoutput", "hostoutput", "cause",
    "incidentreason", "problemdetailstext",
)  # fmt: skip
_SEVERITIES: Final = (
    "severity", "alertseverity", "problemseverity", "level", "priority", "criticality", "urgency", "importancelevel",
    "importance", "impact", "messagetype", "servicestate", "hoststate",
)  # fmt: skip
# Keys that hold nothing but a state, whatever the title says.
_STATES: Final = (
    "conclusion", "status", "alertstatus", "state", "currentstate", "newstate", "newstatus", "alertstate",
    "problemstatus",
    "currentalertphase", "notificationtype", "messagetype", "alerttypefriendlyname", "servicestate", "hoststate",
    "statusfriendly", "checkstatename", "triggertype", "transition", "alertevent",
    "eventtype", "eventname", "event", "action", "alertaction",
)  # fmt: skip
# Those of a kind or a level, which may stay as they were when the trouble is over: the title says more.
_KINDS: Final = ("alerttype", "type", "level", "statusextended", "laststatus", "severity")
_TITLES: Final = ("title", "messagetitle", "event", "subject", "statusdetail")
_STARTS: Final = (
    "startsat", "startedat", "start", "startdate", "starttime", "createdat", "createdon", "triggeredat", "firedat",
    "triggertime", "alerttimestamp", "statestarttime", "detectedat", "openedat", "timestamp", "time",
    "alarmtime", "date", "datetime", "longdatetime", "now", "statechangedtimestamp", "lastoccurrence",
)  # fmt: skip
_ENDS: Final = ("endsat", "endedat", "end", "enddate", "endtime", "resolvedat", "closedat", "recoveredat", "canceldate")
_IDS: Final = ("fingerprint", "alertid", "incidentid", "problemid", "entityid", "dedupkey", "uuid", "uid", "id")
_LABELS: Final = ("commonlabels", "grouplabels", "labels", "tags", "dimensions")
_NOTES: Final = ("commonannotations", "annotations")
_PLACES: Final = ("host", "node", "device", "agent", "client", "entity", "service", "container", "pod", "server")
_DEEPEST: Final = 4


def knows(body: Json) -> bool:
    """Every object, and every list with one."""
    return isinstance(body, dict) or (isinstance(body, list) and any(isinstance(one, dict) for one in body))


def read(body: Json, now: datetime) -> list[Alert]:
    """One alert, or one for each object of a list of alerts."""
    return [_alert(one, now) for one in _entries(body)]


def gaps(body: Json) -> list[str]:
    """What had to be guessed."""
    nameless = sum(not _name(_fields(one)) for one in _entries(body))
    return [f"{nameless} of the alerts have nothing that could be a name"] if nameless else []


def _entries(body: Json) -> list[dict[str, Json]]:
    """The objects that are alerts; what surrounds a list is given to each of its entries."""
    if isinstance(body, list):
        return [one for one in body if isinstance(one, dict)]
    for key in _LISTS:
        listed = [one for one in body[key] if isinstance(one, dict)] if isinstance(body.get(key), list) else []
        around = {name: value for name, value in body.items() if name != key}
        if listed and (key in _SURE_LISTS or not _name(list(_objects(around)))):
            return [around | one for one in listed]
    return [body] if any(value or value in (0, False) for value in body.values()) else []


def _fields(body: dict[str, Json]) -> list[dict[str, Json]]:
    """The objects to look in; where the usual ones hold no name, every one there is."""
    usual = list(_objects(body))
    return usual if _name(usual) else usual + list(_inside(body))


def _inside(body: dict[str, Json], depth: int = 0) -> Iterator[dict[str, Json]]:
    for value in body.values():
        if isinstance(value, dict) and depth < _DEEPEST:
            yield _plain(value)
            yield from _inside(value, depth + 1)


def _objects(body: dict[str, Json], depth: int = 0) -> Iterator[dict[str, Json]]:
    """The object and those inside it that may hold an alert's fields, the outermost first; keys without marks."""
    plain = _plain(body)
    yield plain
    if depth < _DEEPEST:
        for key in _INNER:
            inner = plain.get(key)
            inner = inner[0] if isinstance(inner, list) and inner else inner
            if isinstance(inner, dict):
                yield from _objects(inner, depth + 1)


def _plain(body: dict[str, Json]) -> dict[str, Json]:
    """The same with keys that are written in one way; of two that become one the first with a value counts."""
    plain: dict[str, Json] = {}
    for name, value in body.items():
        if plain.get(key := _key(name)) in (None, ""):
            plain[key] = value
    return plain


@lru_cache(maxsize=4096)
def _key(name: str) -> str:
    return words.key(name) or name


def _alert(body: dict[str, Json], now: datetime) -> Alert:
    objects = _fields(body)
    labels, annotations = _labels(body, objects), _annotations(objects)
    name = _name(objects)
    return reading.alert(
        NAME,
        name,
        labels,
        annotations,
        level=reading.severity(labels.get("severity"), *_worded(objects, _SEVERITIES)),
        state=_state(objects, name),
        starts_at=next(filter(None, (reading.time(v, now) for v in _every(objects, _STARTS))), None),
        ends_at=next(filter(None, (reading.time(v, now) for v in _every(objects, _ENDS))), None),
        identity=reading.first(*_every(objects, _IDS)),
    )


def _every(objects: list[dict[str, Json]], keys: tuple[str, ...]) -> list[Json]:
    """What stands under these keys, the best key first, the outermost object first."""
    return [one[key] for key in keys for one in objects if key in one]


def _worded(objects: list[dict[str, Json]], keys: tuple[str, ...]) -> list[Json]:
    """The same; of an object its name: `priority: {name: High}`."""
    return [reading.at(value, "name") if isinstance(value, dict) else value for value in _every(objects, keys)]


def _name(objects: list[dict[str, Json]]) -> str:
    labelled = [reading.at(one, key, "alertname") for key in _LABELS for one in objects]
    noted = [reading.at(one, key, "summary") for key in _NOTES for one in objects]
    texts = (value for value in _every(objects, _NAMES) if isinstance(value, str))
    return reading.first(*labelled, *texts, *noted)


def _labels(body: dict[str, Json], objects: list[dict[str, Json]]) -> dict[str, str]:
    """The labels, and the plain fields beside them as they are written, so that an entity can be found in either."""
    told: dict[str, str] = {}
    for one in [*reversed(objects[1:]), body]:
        told |= {
            key: text for key, value in one.items() if _key(key) not in _SUMMARIES and (text := reading.text(value))
        }
        for place in _PLACES:
            if isinstance(one.get(place), dict):
                told |= {f"{place}.{key}": text for key, text in reading.texts(one[place]).items()}
                if name := reading.first(one[place].get("name"), reading.at(one[place], "metadata", "name")):
                    told.setdefault(place if place not in ("agent", "client", "entity") else "host", name)
    for key in reversed(_LABELS):
        for one in reversed(objects):
            told |= _pairs(one.get(key))
    return told


def _pairs(value: Json) -> dict[str, str]:
    """Labels: an object, or a list of `key:value`."""
    if isinstance(value, dict):
        return reading.texts(value)
    listed = [reading.text(one).partition(":") for one in value] if isinstance(value, list) else []
    return {key.strip(): told.strip() for key, colon, told in listed if colon and key.strip() and told.strip()}


def _annotations(objects: list[dict[str, Json]]) -> dict[str, str]:
    told = {key: reading.first(*_every(objects, (key,))) for key in _SUMMARIES}
    for key in _NOTES:
        for one in reversed(objects):
            told |= reading.texts(one.get(key))
    told["summary"] = reading.first(told.get("summary"), *(told.get(key) for key in _SUMMARIES))
    return {key: value for key, value in told.items() if value}


def _state(objects: list[dict[str, Json]], name: str) -> AlertStatus | None:
    """By flags and fields of a state; where those say nothing by a title that tells of an end, then by the rest."""
    flags = (words.state_of_flag(key, value) for one in objects for key, value in one.items())
    if told := next(filter(None, flags), None) or _told(objects, _STATES):
        return told
    if words.tells_end(reading.first(*_every(objects, _TITLES), name)) or words.tells_end(name):
        return AlertStatus.RESOLVED
    return _told(objects, _KINDS)


def _told(objects: list[dict[str, Json]], keys: tuple[str, ...]) -> AlertStatus | None:
    """What these fields say: first where one holds a known word, then a phrase, unless it may be a title."""
    told = [(key, reading.text(value)) for key in keys for value in _worded(objects, (key,))]
    phrases = (words.state_of(text) for key, text in told if key not in _TITLES or " " not in text)
    return reading.status(*(text for _, text in told)) or next(filter(None, phrases), None)
