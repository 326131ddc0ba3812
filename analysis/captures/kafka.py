"""kafka-consumer-groups, kafka-topics, kafka-configs; etcdctl; zookeeper's four-letter words."""

import re
from typing import Final

from analysis.captures.columns import worded
from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.units import number, size, truth
from domain.facts import Fact

_TOPIC: Final = re.compile(
    r"\s*Topic:\s*(\S+)\s+Partition:\s*(\d+)\s+Leader:\s*(\S+)\s+Replicas:\s*(\S+)\s+Isr:\s*(\S*)"
)
_CONFIG: Final = re.compile(r"([a-z][\w.]+)=(\S*?)(?:,|\s|$)")
_BROKER: Final = re.compile(r"^\s*broker (\d+) at (\S+:\d+)")
_ASKED: Final = re.compile(r"\(from broker -?\d+: (\S+?)/")
_ETCD: Final = re.compile(
    r"(\S+),\s*[0-9a-f]+,\s*([\d.]+),\s*(?:[\d.]+,\s*\S*,\s*)?([\d.]+ [kMG]?B),\s*(true|false),\s*(true|false)"
)
_HEALTH: Final = re.compile(r"(\S+) is (healthy|unhealthy)(?:: (.*))?")
_ALARM: Final = re.compile(r"memberID:(\d+) alarm:(\w+)")


def parse_groups(text: str, context: Context) -> list[Fact]:
    """Offsets and lag of each partition; a header stands before every group."""
    facts: list[Fact] = []
    titles: list[str] = []
    for line in context.lines(text):
        if re.match(r"\s*(?:GROUP|TOPIC)\s+", line.text) and "PARTITION" in line.text:
            titles = line.text.split()
        elif titles and (row := next(iter(worded([line], titles)), None)) and "LAG" in row.cells:
            facts.append(_partition(row.cells, line, context))
        elif match := re.search(
            r"Consumer group '([^']+)' (?:has no active members|is rebalancing|does not exist)", line.text
        ):
            facts.append(
                context.fact(
                    "queue", safe_entity("queue", match[1]), line, group=match[1], state=line.text.strip(), consumers=0
                )
            )
    return facts


def _partition(cells: dict[str, str], line: Line, context: Context) -> Fact:
    owner = cells.get("CONSUMER-ID", "-")
    return context.fact(
        "queue",
        safe_entity("queue", cells.get("TOPIC", "")),
        line,
        name=cells.get("TOPIC"),
        topic=cells.get("TOPIC"),
        group=cells.get("GROUP"),
        partition=number(cells.get("PARTITION", "")),
        offset=number(cells.get("CURRENT-OFFSET", "")),
        end_offset=number(cells.get("LOG-END-OFFSET", "")),
        lag=number(cells.get("LAG", "")),
        consumers=0 if owner == "-" else 1,
    )


def parse_topics(text: str, context: Context) -> list[Fact]:
    """Partitions with their leader, and those that lack replicas."""
    facts = []
    for line in context.lines(text):
        if match := _TOPIC.match(line.text):
            topic, partition, leader, replicas, in_sync = match.groups()
            missing = len(in_sync.split(",")) < len(replicas.split(","))
            state = "offline" if leader in ("-1", "none") else "under-replicated" if missing else "ok"
            facts.append(
                context.fact(
                    "queue",
                    safe_entity("queue", topic),
                    line,
                    name=topic,
                    topic=topic,
                    partition=int(partition),
                    state=state,
                )
            )
    return facts


def parse_configs(text: str, context: Context) -> list[Fact]:
    """kafka-configs --describe."""
    return [
        context.fact("setting", safe_entity("service", "kafka"), line, name=match[1], value=match[2])
        for line in context.lines(text)
        for match in _CONFIG.finditer(line.text)
        if "=" in line.text and not line.text.startswith("Dynamic configs")
    ]


def parse_metadata(text: str, context: Context) -> list[Fact]:
    """kcat -L: the address by which each broker tells its clients to come, and the one that was asked (`origin`)."""
    asked = _ASKED.search(text)
    server = asked[1] if asked else context.command.value("-b")
    return [
        context.fact(
            "setting",
            safe_entity("service", "kafka"),
            line,
            name="advertised address",
            value=match[2],
            origin=server,
        )
        for line in context.lines(text)
        if (match := _BROKER.search(line.text))
    ]


def parse_etcd(text: str, context: Context) -> list[Fact]:
    """etcdctl endpoint status|health, alarm list."""
    facts = []
    for line in context.lines(text):
        if match := _ETCD.search(line.text.replace("|", ",").strip(" ,")):
            facts.append(
                context.fact(
                    "cluster",
                    safe_entity("service", "etcd"),
                    line,
                    name=match[1],
                    status=f"db size {size(match[3])}",
                    leader=match[1] if truth(match[4]) else None,
                )
            )
        elif match := _HEALTH.search(line.text):
            facts.append(
                context.fact(
                    "cluster", safe_entity("service", "etcd"), line, name=match[1], status=match[2], message=match[3]
                )
            )
        elif match := _ALARM.search(line.text):
            facts.append(
                context.fact(
                    "cluster", safe_entity("service", "etcd"), line, name="etcd", status="alarm", alarms=[match[2]]
                )
            )
    return facts


PARSERS: Final = (
    Parser(
        "kafka groups",
        parse_groups,
        ("kafka-consumer-groups.sh", "kafka-consumer-groups"),
        looks=re.compile(r"^(?:GROUP\s+)?TOPIC\s+PARTITION\s+CURRENT-OFFSET", re.MULTILINE),
    ),
    Parser(
        "kafka topics",
        parse_topics,
        ("kafka-topics.sh", "kafka-topics"),
        looks=re.compile(r"^Topic:\s*\S+.*PartitionCount:", re.MULTILINE),
    ),
    Parser(
        "kcat metadata",
        parse_metadata,
        ("kcat", "kafkacat"),
        looks=re.compile(r"\AMetadata for (?:all topics|\S+) \(from broker"),
    ),
    Parser("kafka configs", parse_configs, ("kafka-configs.sh", "kafka-configs")),
    Parser("etcdctl", parse_etcd, ("etcdctl",), looks=re.compile(r"\A\S+:2379(?:,| is )")),
)
