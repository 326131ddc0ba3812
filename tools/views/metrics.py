"""Views of series: min, mean, max, last and the change, never raw points unless asked for."""

from domain.codec import Json
from tools.views.searched import searched


def series_list(data: Json) -> str:
    """Metrics by entity."""
    by_entity: dict[str, list[str]] = {}
    for row in data["series"]:
        by_entity.setdefault(row["entity"], []).append(row["metric"])
    return searched(data, [f"{entity}: {', '.join(names)}" for entity, names in by_entity.items()])


def series(data: Json) -> str:
    """One line a series."""
    return searched(data, [_series(s) for s in data["series"]])


def _series(s: Json) -> str:
    spread = f"min {s['min']:.6g} mean {s['mean']:.6g} max {s['max']:.6g} last {s['last']:.6g}"
    if s.get("median_before") is None or s.get("median_after") is None:
        return f"{s['entity']} {s['metric']}: {spread} ({s['points']} points)"
    change = f"{s['median_before']:.6g} -> {s['median_after']:.6g} ({s['direction']}, score {s['score']:.1f})"
    since = f" since {s['onset']}" if s.get("onset") else ""
    return f"{s['entity']} {s['metric']}: {change}{since}; {spread}"


def points(data: Json) -> str:
    """Time and value."""
    head = f"{data['entity']} {data['metric']}"
    return searched(data, [head, *(f"{at} {value:.6g}" for at, value in data["points"])])
