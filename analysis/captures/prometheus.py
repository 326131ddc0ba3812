"""Answers of Prometheus' query API: one reading a series, with its first, last, least and greatest value."""

import re
from typing import Any, Final

from analysis.captures.context import Context, Parser, safe_entity
from analysis.captures.jsons import Json, at, documents, mapping, objects
from domain.facts import Fact

_MOST: Final = 100
_THROTTLED: Final = re.compile(r"cfs_throttled_periods_total.*/.*cfs_periods_total", re.DOTALL)
_LABEL: Final = re.compile(r"[{,](pod|container)=([^,}]+)")


def parse(text: str, context: Context) -> list[Fact]:
    """Each series of each answer."""
    found = [document for document in documents(text) if isinstance(document, dict)]
    read = [
        fact for document in found for item in _results(document)[:_MOST] if (fact := _series(item, document, context))
    ]
    return read + [cpu for fact in read if (cpu := _throttled(fact, context))]


def _throttled(fact: Fact, context: Context) -> Fact | None:
    """The share of its periods in which a container was throttled, where that is what was asked for."""
    if not _THROTTLED.search(str(fact.attributes.get("command") or "")):
        return None
    labels = dict(_LABEL.findall(str(fact.attributes.get("name") or "")))
    kind = next((kind for kind in ("pod", "container") if labels.get(kind)), "")
    share = float(str(fact.attributes["value"]))
    if not kind or share < 0:
        return None
    return context.fact(
        "cpu", safe_entity(kind, labels[kind]), None, throttled_percent=round(share * 100 if share <= 1 else share, 1)
    )


def _results(document: dict[str, Json]) -> list[dict[str, Json]]:
    return objects(document, "data", "result") or objects(document, "result")


def _series(item: dict[str, Json], document: dict[str, Json], context: Context) -> Fact | None:
    pairs = item.get("values") or ([item["value"]] if item.get("value") else [])
    values = [
        value for pair in pairs if isinstance(pair, list) and len(pair) == 2 and (value := _number(pair[1])) is not None
    ]
    if not values:
        return None
    labels = mapping(item, "metric")
    name = (
        str(labels.get("__name__") or "")
        + "{"
        + ",".join(f"{k}={v}" for k, v in sorted(labels.items()) if k != "__name__")
        + "}"
    )
    told = f"first {values[0]:g}, last {values[-1]:g}, min {min(values):g}, max {max(values):g}, {len(values)} points"
    query = (
        document.get("query")
        or at(document, "data", "query")
        or context.arguments.get("query")
        or context.arguments.get("promql_query")
    )
    return context.fact("reading", context.place, None, command=query, name=name[:300], value=values[-1], text=told)


def _number(value: Any) -> float | None:
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return found if found == found and abs(found) != float("inf") else None


PARSERS: Final = (
    Parser(
        "prometheus",
        parse,
        ("execute_prometheus_range_query", "execute_prometheus_instant_query", "promtool query"),
        looks=re.compile(r'"resultType"\s*:\s*"(?:matrix|vector)"'),
    ),
)
