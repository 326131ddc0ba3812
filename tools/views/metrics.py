"""Views of series: min, mean, max, last and the change, never raw points unless asked for."""

from typing import Final

from domain.codec import Json
from tools.views.searched import searched, second

MOST_STILL: Final = 4  # series without a change that are told in full
STILL: Final = 2.0  # robust sigmas below which nothing happened


def series_list(data: Json) -> str:
    """Metrics by entity."""
    by_entity: dict[str, list[str]] = {}
    for row in data["series"]:
        by_entity.setdefault(row["entity"], []).append(row["metric"])
    return searched(data, [f"{entity}: {', '.join(names)}" for entity, names in by_entity.items()])


def series(data: Json) -> str:
    """One line a series; of many that did not change the first, and the names of the rest."""
    still = [s for s in data["series"] if _is_still(s)]
    named = still[MOST_STILL:]
    rows = [_series(s) for s in data["series"] if s not in named]
    return searched(data, rows + ([f"{len(named)} more did not change: {_names(named)}"] if named else []))


def _is_still(s: Json) -> bool:
    return bool(s.get("direction") == "flat" and abs(s["score"]) < STILL)


def _names(rows: list[Json]) -> str:
    """By entity, each metric once whatever its labels are."""
    by_entity: dict[str, dict[str, None]] = {}
    for row in rows:
        by_entity.setdefault(row["entity"], {})[row["metric"].partition("{")[0]] = None
    return "; ".join(f"{entity} {', '.join(names)}" for entity, names in by_entity.items())


def _series(s: Json) -> str:
    spread = f"min {s['min']:.4g} mean {s['mean']:.4g} max {s['max']:.4g} last {s['last']:.4g}"
    if s.get("median_before") is None or s.get("median_after") is None:
        return f"{s['entity']} {s['metric']}: {spread} ({s['points']} points)"
    change = f"{s['median_before']:.4g} -> {s['median_after']:.4g} ({s['direction']}, score {s['score']:.1f})"
    since = f" since {second(s['onset'])}" if s.get("onset") else ""
    return f"{s['entity']} {s['metric']}: {change}{since}; {spread}"


def points(data: Json) -> str:
    """Time and value."""
    head = f"{data['entity']} {data['metric']}"
    return searched(data, [head, *(f"{second(at)} {value:.6g}" for at, value in data["points"])])
