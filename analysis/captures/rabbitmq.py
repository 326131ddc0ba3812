"""rabbitmqctl list_queues, status, cluster_status, list_connections; the management API's nodes as JSON."""

import re
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.jsons import Json, documents, mapping, objects, words
from analysis.captures.units import number
from domain.facts import Fact

_TITLES: Final = {
    "messages": "messages",
    "messages_ready": "ready",
    "messages_unacknowledged": "unacked",
    "consumers": "consumers",
    "state": "state",
    "memory": "memory",
}
_QUEUES: Final = ("name", *_TITLES)
_NODE: Final = re.compile(r"[\w-]+@[\w.-]+")
_SECTIONS: Final = re.compile(
    r"^(Disk Nodes|Running Nodes|RAM Nodes|Network Partitions|Alarms|Versions|Maintenance status|Listeners|"
    r"Cluster name: \S+)\s*$"
)
_ALARMS: Final = re.compile(r"Node \S+ reported (?:the following .*alarms?:|no (?:local )?alarms)")
_OLD_ALARM: Final = re.compile(r"resource_limit,(memory|disk),|\{alarms,\[([^\]]+)\]")


def parse_queues(text: str, context: Context) -> list[Fact]:
    """list_queues: columns as asked for, `name messages` without."""
    asked = [word for word in context.command.words if word in _QUEUES]
    titles = asked or ["name", "messages"]
    facts = []
    for line in context.lines(text):
        cells = line.text.split("\t") if "\t" in line.text else line.text.split()
        if cells[: len(titles)] == titles or len(cells) != len(titles) or line.text.startswith(("Timeout", "Listing")):
            continue
        if "name" in titles and any(number(cell) is not None for cell in cells):
            row = dict(zip(titles, cells, strict=True))
            told: dict[str, Any] = {
                _TITLES[key]: number(value) if key != "state" else value for key, value in row.items() if key in _TITLES
            }
            facts.append(context.fact("queue", safe_entity("queue", row["name"]), line, name=row["name"], **told))
    return facts


def parse_cluster(text: str, context: Context) -> list[Fact]:
    """cluster_status and status: nodes, who runs, partitions, alarms."""
    if found := [fact for document in documents(text) for fact in cluster_facts(document, context)]:
        return found
    sections: dict[str, list[Line]] = {}
    current = ""
    for line in context.lines(text):
        if match := _SECTIONS.match(line.text):
            current = match[1].partition(":")[0]
            sections[current] = []
        elif current and line.text.strip() and line.text.strip() not in ("(none)", "[]"):
            sections[current].append(line)
    if not sections:
        return _old(text, context)
    nodes = _names(sections.get("Disk Nodes", []) + sections.get("RAM Nodes", []))
    running = _names(sections.get("Running Nodes", []))
    alarms, parted = sections.get("Alarms", []), sections.get("Network Partitions", [])
    telling = next(iter(alarms + parted + sections.get("Running Nodes", []) + sections.get("Disk Nodes", [])), None)
    return [
        context.fact(
            "cluster",
            _server(context),
            telling,
            name="rabbitmq",
            nodes=nodes,
            running_nodes=running,
            alarms=[line.text.strip() for line in alarms],
            missing_nodes=sorted(set(nodes) - set(running)) if running else None,
            partitions=[line.text.strip() for line in parted],
            status="alarm" if alarms else "partitioned" if parted else "ok",
        )
    ]


def _names(lines: list[Line]) -> list[str]:
    return list(dict.fromkeys(name for line in lines for name in _NODE.findall(line.text)))


def _old(text: str, context: Context) -> list[Fact]:
    """The Erlang terms of old versions."""
    for line in context.lines(text):
        if match := _OLD_ALARM.search(line.text):
            alarms = [match[1] or match[2]]
            return [context.fact("cluster", _server(context), line, name="rabbitmq", alarms=alarms, status="alarm")]
    return []


def _server(context: Context) -> str:
    return context.command.inside or safe_entity("service", "rabbitmq")


def cluster_facts(document: Json, context: Context) -> list[Fact]:
    """Nodes as the management API lists them, under whatever wrapper."""
    for path in ((), ("data",), ("result",)):
        nodes = [n for n in objects(document, *path, "nodes") if "running" in n]
        if nodes:
            return _cluster(mapping(document, *path), nodes, context)
    return []


def _cluster(document: dict[str, Json], nodes: list[dict[str, Json]], context: Context) -> list[Fact]:
    names = [str(node.get("name") or node.get("node")) for node in nodes]
    running = [name for name, node in zip(names, nodes, strict=True) if node.get("running")]
    raw = objects(document, "raw_node_data") or nodes
    alarms = [
        f"{alarm} {node.get('name') or node.get('node')}"
        for node in raw
        for alarm in ("mem_alarm", "disk_free_alarm")
        if node.get(alarm)
    ]
    parted = [
        f"{p.get('node')} cannot reach {other}"
        for p in objects(document, "partition_details")
        for other in words(p.get("unreachable_nodes"))
    ]
    parted = parted or [
        f"{node.get('name')} cannot reach {other}" for node in raw for other in words(node.get("partitions"))
    ]
    missing = [name for name in names if name not in running]
    status = (
        "partitioned"
        if parted or document.get("network_partitions_detected")
        else "alarm"
        if alarms
        else "degraded"
        if missing
        else "ok"
    )
    whole = context.fact(
        "cluster",
        safe_entity("service", "rabbitmq"),
        None,
        name="rabbitmq",
        nodes=names,
        running_nodes=running,
        missing_nodes=missing,
        partitions=parted,
        alarms=alarms,
        status=status,
    )
    return [whole, *(_member(name, name in running, context) for name in names)]


def _member(name: str, running: bool, context: Context) -> Fact:
    """A member of the cluster as a process of its host: `rabbit@pod.service...` is the pod."""
    host = name.rpartition("@")[2].partition(".")[0]
    return context.fact(
        "process", safe_entity("process", host), None, command=name, state="running" if running else "not running"
    )


def parse_alarms(text: str, context: Context) -> list[Fact]:
    """rabbitmq-diagnostics alarms: one a line, or that there are none."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    at = next((at for at, line in enumerate(lines) if _ALARMS.match(line.text.strip())), None)
    if at is None:
        return []
    alarms = [
        line.text.strip(" -")
        for line in lines[at + 1 :]
        if re.match(r"[ -]*(?:memory|disk|file_descriptor)", line.text)
    ]
    told = {"alarms": alarms, "status": "alarm" if alarms else "ok"}
    return [context.fact("cluster", _server(context), lines[min(at + 1, len(lines) - 1)], name="rabbitmq", **told)]


PARSERS: Final = (
    Parser("rabbitmq alarms", parse_alarms, ("rabbitmq-diagnostics alarms", "rabbitmqctl list_alarms")),
    Parser(
        "rabbitmq queues",
        parse_queues,
        ("rabbitmqctl list_queues",),
        looks=re.compile(r"\A(?:Timeout: .*\n)?Listing queues"),
    ),
    Parser(
        "rabbitmq cluster",
        parse_cluster,
        (
            "rabbitmqctl cluster_status",
            "rabbitmqctl status",
            "rabbitmq-diagnostics",
            "get_rabbitmq_cluster_status",
            "rabbitmqctl",
        ),
        looks=re.compile(
            r"^(?:Cluster status of node|Status of node) |\"network_partitions_detected\"|\"mem_alarm\"", re.MULTILINE
        ),
    ),
)
