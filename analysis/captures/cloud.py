"""JSON of cloud tools: pods, nodes, deployments, database load, monitors, and events of managed databases."""

import re
from collections.abc import Callable
from typing import Any, Final

from analysis.captures import kube_words
from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.jsons import Json, at, documents, mapping, objects, words
from analysis.captures.units import cpus, kube_size, truth
from domain.facts import Fact

Document = dict[str, Json]
_EVENT: Final = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\dT\S+)\s+(?P<type>Normal|"
    r"Warning)\s+(?P<reason>\w+)\s+(?P<object>\w+/\S+)(?:\s+namespace=(?P<namespace>\S+))?"
    r"(?:\s+count=(?P<count>\d+))?(?:\s+first=(?P<first>\S+?))?:?\s+(?P<message>.*)$"
)
_RDS: Final = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\dT\S+)\s+db-(?P<kind>instance|cluster|snapshot|parameter-group|"
    r"proxy)\s+(?P<name>\S+)\s+\[(?P<categories>[^\]]*)\]\s+(?P<message>.*)$"
)
_TROUBLE: Final = re.compile(r"failure|failover|low storage|recovery|availability")


def database_of(line: str) -> str:
    """The managed database that an event's line is about; empty where it is no such line."""
    match = _RDS.match(line)
    return safe_entity("database", match["name"]) if match else ""


def parse(text: str, context: Context) -> list[Fact]:
    """Whatever lists these documents hold."""
    return [fact for document in documents(text) if isinstance(document, dict) for fact in _document(document, context)]


def _document(document: Document, context: Context) -> list[Fact]:
    body = document if not isinstance(document.get("data"), dict) else {**document, **document["data"]}
    facts: list[Fact] = []
    for key, read in _LISTS.items():
        facts += [fact for item in objects(body, key) for fact in read(item, context)]
    return facts + _load(body, context)


def _pod(item: Document, context: Context) -> list[Fact]:
    name = str(item.get("name") or item.get("pod_name") or "")
    if not name or not (item.get("phase") or item.get("status")):
        return []
    parts = [_container(part, name, item, context) for part in objects(item, "containers")]
    conditions = objects(item, "conditions")
    ready = next((truth(str(c.get("status"))) for c in conditions if c.get("type") == "Ready"), None)
    bad = next(
        (c for c in conditions if truth(str(c.get("status"))) is False and (c.get("reason") or c.get("message"))), {}
    )
    waiting = next(
        (
            f.attributes["reason"]
            for f in parts
            if f.attributes.get("reason") and f.attributes.get("state") != "running"
        ),
        None,
    )
    phase = str(item.get("phase") or item.get("status"))
    pod = context.fact(
        "pod",
        kube_words.kube_entity("pod", name),
        None,
        namespace=item.get("namespace"),
        phase=phase,
        status=waiting or phase,
        reason=item.get("reason") or waiting or bad.get("reason"),
        message=item.get("message") or bad.get("message"),
        ready=ready,
        scheduled=next((truth(str(c.get("status"))) for c in conditions if c.get("type") == "PodScheduled"), None),
        conditions=[
            f"{c.get('type')}={c.get('status')}" + (f" {c['reason']}" if c.get("reason") else "") for c in conditions
        ],
        restarts=sum(int(part.get("restart_count") or 0) for part in objects(item, "containers")),
        node=item.get("node_name") or item.get("node"),
        started_at=item.get("start_time"),
        owner=f"workload/{owner}" if (owner := kube_words.workload_of(name)) else None,
        addresses=[str(ip) for ip in [item.get("pod_ip") or item.get("ip")] if ip],
        containers=[str(p.get("name")) for p in objects(item, "containers")],
    )
    return [pod, *parts]


def _container(part: Document, pod: str, item: Document, context: Context) -> Fact:
    state, last = mapping(part, "state"), mapping(part, "last_state")
    reasons = (_reason(state), _reason(last))
    limits, requests = (
        mapping(part, "resources", "limits") or mapping(part, "limits"),
        mapping(part, "resources", "requests"),
    )
    return context.fact(
        "container",
        safe_entity("container", part.get("name")),
        None,
        pod=pod,
        namespace=item.get("namespace"),
        ready=part.get("ready"),
        restart_count=part.get("restart_count"),
        image=part.get("image"),
        state=_state(state),
        reason=reasons[0],
        exit_code=_code(state),
        started_at=state.get("started_at") or at(state, "running", "started_at"),
        error=_detail(state, "message") or _detail(last, "message"),
        last_state=_state(last),
        last_reason=reasons[1],
        last_exit_code=_code(last),
        finished_at=_detail(last, "finished_at"),
        oom_killed="OOMKilled" in reasons if state else None,
        memory_limit=kube_size(str(limits.get("memory", ""))),
        cpu_limit=cpus(str(limits.get("cpu", ""))),
        memory_request=kube_size(str(requests.get("memory", ""))),
    )


def _state(state: Document) -> str | None:
    """`{"running": true}` and `{"waiting": {"reason": ...}}` alike."""
    return next(
        (name for name in ("waiting", "terminated", "running") if state.get(name)),
        str(state["state"]) if state.get("state") else None,
    )


def _detail(state: Document, name: str) -> Any:
    inside = next(
        (at(state, key, name) for key in ("waiting", "terminated", "running") if at(state, key, name) is not None), None
    )
    return inside if inside is not None else state.get(name)


def _reason(state: Document) -> Any:
    return _detail(state, "reason")


def _code(state: Document) -> Any:
    """The exit code of what ended; what runs has none, whatever the document says."""
    code = _detail(state, "exit_code")
    return None if state.get("running") else code


def _node(item: Document, context: Context) -> list[Fact]:
    name = item.get("name") or item.get("node_name")
    if not name or ("ready" not in item and "conditions" not in item):
        return []
    conditions = {str(c.get("type")): c for c in objects(item, "conditions")}
    told = {
        key: truth(str(item[key]))
        for key in ("ready", "memory_pressure", "disk_pressure", "pid_pressure", "network_unavailable")
        if key in item
    }
    bad = next((c for kind, c in conditions.items() if (str(c.get("status")) == "True") != (kind == "Ready")), {})
    if conditions and "ready" not in told:
        told["ready"] = str(mapping(conditions, "Ready").get("status")) == "True"
    return [
        context.fact(
            "node",
            kube_words.kube_entity("node", str(name)),
            None,
            **told,
            reason=bad.get("reason"),
            message=bad.get("message"),
            cpu=cpus(str(item.get("capacity_cpu") or "")),
            memory=kube_size(str(item.get("capacity_memory") or "")),
            labels=[f"instance_type={item['instance_type']}"] if item.get("instance_type") else [],
            taints=words(item.get("taints")),
            schedulable=None if "unschedulable" not in item else not item["unschedulable"],
        )
    ]


def _deployment(item: Document, context: Context) -> list[Fact]:
    name = item.get("name") or item.get("deployment_name")
    if not name or not {"desired", "replicas", "desired_replicas"} & item.keys():
        return []
    bad = next((c for c in objects(item, "conditions") if truth(str(c.get("status"))) is False), {})
    return [
        context.fact(
            "workload",
            kube_words.kube_entity("deployment", str(name)),
            None,
            type="Deployment",
            namespace=item.get("namespace"),
            desired=_first(item, "desired", "desired_replicas", "replicas"),
            ready_replicas=_first(item, "ready", "ready_replicas"),
            available=_first(item, "available", "available_replicas"),
            unavailable=_first(item, "unavailable", "unavailable_replicas"),
            image=item.get("image"),
            reason=bad.get("reason"),
            message=bad.get("message"),
        )
    ]


def _first(item: Document, *names: str) -> Json:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _monitor(item: Document, context: Context) -> list[Fact]:
    """A monitor of the alerting tool: what it watches and how it stands."""
    if "overall_state" not in item and "query" not in item:
        return []
    tags = words(item.get("tags"))
    of = next(
        (tag.partition(":") for tag in tags if re.match(r"(?:service|kube_deployment|kube_pod|container|host):", tag)),
        None,
    )
    kind = {"kube_pod": "pod", "container": "container", "host": "host"}.get(of[0] if of else "", "service")
    return [
        context.fact(
            "object",
            safe_entity(kind, of[2] if of else item.get("name")),
            None,
            type="monitor",
            status=item.get("overall_state"),
            message=item.get("message"),
            data=[f"name={item.get('name')}", f"query={item.get('query')}"],
            labels=tags,
            exists=True,
        )
    ]


def _event(item: Document, context: Context) -> list[Fact]:
    """Events of a cluster or of a managed database, as objects."""
    message = item.get("message") or item.get("Message")
    if not message:
        return []
    target = (
        item.get("involved_object")
        or item.get("object")
        or item.get("source_identifier")
        or item.get("SourceIdentifier")
        or item.get("involvedObject")
    )
    name = target.get("name", "") if isinstance(target, dict) else str(target or "")
    kind = str(target.get("kind", "")) if isinstance(target, dict) else ""
    of = (
        kube_words.kube_entity(kind, name)
        if kind
        else kube_words.object_entity(name)
        if "/" in name
        else safe_entity("database", name)
    )
    moment = _first(item, "last_timestamp", "lastTimestamp", "timestamp", "date", "Date", "time")
    return [
        context.fact(
            "event",
            of,
            None,
            context.time(moment if isinstance(moment, str | int | float) else None),
            type=item.get("type"),
            reason=item.get("reason"),
            message=str(message),
            count=item.get("count") or 1,
            object=f"{kind}/{name}" if kind else name,
            namespace=item.get("namespace"),
            first_at=_first(item, "first_timestamp", "firstTimestamp"),
        )
    ]


_LISTS: Final[dict[str, Callable[[Document, Context], list[Fact]]]] = {
    "pods": _pod, "nodes": _node, "deployments": _deployment, "monitors": _monitor, "events": _event, "Events": _event,
}  # fmt: skip


def _load(document: Document, context: Context) -> list[Fact]:
    """Database load: top statements, waits, users and hosts."""
    name = document.get("db_instance_identifier") or document.get("DBInstanceIdentifier") or document.get("resource")
    database = safe_entity("database", name or "unknown")
    facts = [fact for item in objects(document, "top_sql") for fact in _statement(item, context)]
    for key, attribute in (("top_users", "user"), ("top_hosts", "host"), ("top_wait_events", "wait_event")):
        facts += [
            context.fact(
                "sql", database, None, **{attribute: item.get("name") or item.get("id")}, **_share(item, attribute)
            )
            for item in objects(document, key)
        ]
    return facts


def _share(item: Document, attribute: str) -> dict[str, Json]:
    return {"wait_load" if attribute == "wait_event" else "load": _first(item, "db_load_avg", "load", "db_load")}


def _statement(item: Document, context: Context) -> list[Fact]:
    statement = str(item.get("statement") or item.get("sql") or item.get("query") or "")
    waits = sorted(objects(item, "wait_events"), key=lambda wait: -float(wait.get("db_load_avg") or 0))
    top = waits[0] if waits else {}
    return [
        context.fact(
            "sql",
            safe_entity("query", " ".join(statement.split())),
            None,
            statement=statement,
            load=_first(item, "db_load_avg", "load"),
            calls=_first(item, "calls_per_sec", "calls"),
            wait_event=top.get("name"),
            wait_load=top.get("db_load_avg"),
        )
    ]


def parse_lines(text: str, context: Context) -> list[Fact]:
    """Events one a line, as collectors of clusters and managed databases write them."""
    return [fact for line in context.lines(text) if (fact := _line(line, context)) is not None]


def _line(line: Line, context: Context) -> Fact | None:
    if match := _EVENT.match(line.text):
        return context.fact(
            "event",
            kube_words.object_entity(match["object"]),
            line,
            context.time(match["at"]),
            type=match["type"],
            reason=match["reason"],
            message=match["message"],
            count=int(match["count"] or 1),
            object=match["object"],
            namespace=match["namespace"],
            first_at=match["first"],
        )
    if match := _RDS.match(line.text):
        trouble = _TROUBLE.search(match["categories"]) is not None
        return context.fact(
            "event",
            safe_entity("database", match["name"]),
            line,
            context.time(match["at"]),
            type="Warning" if trouble else "Normal",
            reason=match["categories"],
            message=match["message"],
            count=1,
            object=f"db-{match['kind']}/{match['name']}",
            component="rds",
        )
    return None


PARSERS: Final = (
    Parser(
        "cloud",
        parse,
        looks=re.compile(
            r'\A\s*\{[\s\S]{0,400}?"(?:pods|nodes|deployments|monitors|events|Events|top_sql|db_instance_identifier)"\s*:'
        ),
    ),
    Parser(
        "event lines",
        parse_lines,
        looks=re.compile(r"^\d{4}-\d\d-\d\dT\S+\s+(?:(?:Normal|Warning)\s+\w+\s+\w+/|db-\w+\s+\S+\s+\[)", re.MULTILINE),
    ),
)
