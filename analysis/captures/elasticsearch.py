"""Elasticsearch and OpenSearch: _cat tables and _cluster documents, whether curl or a console printed them."""

import re
from typing import Any, Final

from analysis.captures.columns import worded
from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.jsons import Json, at, documents, mapping
from analysis.captures.units import number, percent, size
from domain.facts import Fact

_INDICES: Final = [
    "health",
    "status",
    "index",
    "uuid",
    "pri",
    "rep",
    "docs.count",
    "docs.deleted",
    "store.size",
    "pri.store.size",
]
_ALLOCATION: Final = [
    "shards",
    "disk.indices",
    "disk.used",
    "disk.avail",
    "disk.total",
    "disk.percent",
    "host",
    "ip",
    "node",
]
_INDEX_ROW: Final = re.compile(r"(green|yellow|red)\s+(open|close)\s+(\S+)\s+\S+\s+(\d+)\s+(\d+)")
_HEALTH_ROW: Final = re.compile(
    r"\d{10} \d\d:\d\d:\d\d (\S+) (green|yellow|red)\s+(\d+)\s+(\d+)\s+\d+\s+\d+\s+\d+\s+\d+\s+(\d+)"
)
_SHARD: Final = re.compile(r"(\S+)\s+(\d+)\s+([pr])\s+(UNASSIGNED|STARTED|INITIALIZING|RELOCATING)\s*(.*)")


def parse(text: str, context: Context) -> list[Fact]:
    """Indices, disks, shards and the health of the cluster."""
    if found := documents(text):
        return [fact for document in found for fact in _document(document, context)]
    facts: list[Fact] = []
    titles: list[str] = []
    for line in context.lines(text):
        words = line.text.split()
        if words[:2] in (["health", "status"], ["shards", "disk.indices"], ["node", "name"]):
            titles = words
        else:
            facts += _row(line, titles, context)
    return facts


def _row(line: Line, titles: list[str], context: Context) -> list[Fact]:
    if _INDEX_ROW.match(line.text):
        cells = next(worded([line], titles or _INDICES)).cells
        return [_index(cells.get("index", ""), cells, line, context)]
    if match := _HEALTH_ROW.match(line.text):
        return [
            _health(
                match[1],
                {"status": match[2], "number_of_nodes": int(match[3]), "unassigned_shards": int(match[5])},
                line,
                context,
            )
        ]
    if (match := _SHARD.match(line.text)) and match[4] == "UNASSIGNED":
        return [
            context.fact(
                "index",
                safe_entity("database", match[1]),
                line,
                name=match[1],
                status="unassigned",
                shards=int(match[2]),
            )
        ]
    words = line.text.split()
    if (
        len(words) in (len(_ALLOCATION), 2)
        and "disk.percent" in (titles or _ALLOCATION)
        and words[0].isdigit()
        and len(words) > 5
    ):
        cells = dict(zip(titles or _ALLOCATION, words, strict=False))
        return [
            context.fact(
                "filesystem",
                safe_entity("host", cells.get("node", cells.get("host", ""))),
                line,
                use_percent=percent(cells.get("disk.percent", "")),
                size=size(cells.get("disk.total", "")),
                used=size(cells.get("disk.used", "")),
                available=size(cells.get("disk.avail", "")),
                mount="data",
            )
        ]
    return []


def _index(name: str, cells: dict[str, str], line: Line | None, context: Context) -> Fact:
    return context.fact(
        "index",
        safe_entity("database", name),
        line,
        name=name,
        health=cells.get("health"),
        status=cells.get("status"),
        docs=number(cells.get("docs.count", "")),
        size=size(cells.get("store.size", "")),
        shards=number(cells.get("pri", "")),
    )


def _health(name: str, told: dict[str, Any], line: Line | None, context: Context) -> Fact:
    return context.fact(
        "cluster",
        safe_entity("service", "elasticsearch"),
        line,
        name=name,
        status=told.get("status"),
        shards_unassigned=told.get("unassigned_shards"),
        message=None if told.get("number_of_nodes") is None else f"{told['number_of_nodes']} nodes",
    )


def _document(document: Json, context: Context) -> list[Fact]:
    if not isinstance(document, dict):
        return []
    if "cluster_name" in document and "status" in document:
        return [_health(str(document["cluster_name"]), document, None, context)]
    if isinstance(document.get("error"), dict):
        return [
            context.fact(
                "cluster",
                safe_entity("service", "elasticsearch"),
                None,
                name="elasticsearch",
                status="error",
                message=f"{at(document, 'error', 'type')}: {at(document, 'error', 'reason')}",
            )
        ]
    if document.get("index") and document.get("health"):
        return [_index(str(document["index"]), {key: str(value) for key, value in document.items()}, None, context)]
    if "explanation" in document or "unassigned_info" in document:
        why = (
            at(document, "allocate_explanation")
            or at(document, "unassigned_info", "details")
            or at(document, "unassigned_info", "reason")
        )
        return [
            context.fact(
                "index",
                safe_entity("database", document.get("index")),
                None,
                name=document.get("index"),
                status=f"unassigned: {why}",
            )
        ]
    return _settings(document, context)


def _settings(document: dict[str, Json], context: Context) -> list[Fact]:
    """_settings and _cluster/settings: blocks and watermarks."""
    facts = []
    for name, body in document.items():
        for prefix, scope in (
            ("", mapping(body, "settings")),
            ("", {name: body} if name in ("persistent", "transient", "defaults") else {}),
        ):
            for key, value in _flat(scope, prefix):
                if re.search(r"blocks?\.|watermark|read_only", key):
                    facts.append(
                        context.fact("setting", safe_entity("database", name), None, name=key, value=str(value))
                    )
    return facts


def _flat(value: Json, prefix: str) -> list[tuple[str, Json]]:
    if isinstance(value, dict):
        return [pair for key, item in value.items() for pair in _flat(item, f"{prefix}.{key}" if prefix else str(key))]
    return [(prefix, value)]


PARSERS: Final = (
    Parser(
        "elasticsearch",
        parse,
        looks=re.compile(
            r"\A(?:health\s+status\s+index|(?:green|yellow|red)\s+open\s|epoch\s+timestamp\s+cluster|"
            r"\d{10} \d\d:\d\d:\d\d \S+ (?:green|yellow|red)|"
            r"shards\s+disk\.indices|index\s+shard\s+prirep)|\A\s*\{\s*\"cluster_name\"|\"cluster_block_exception\"|"
            r"\"unassigned_info\"|\"read_only_allow_delete\""
        ),
    ),
)
