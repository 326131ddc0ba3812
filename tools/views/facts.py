"""View of typed facts: entity, kind, and the attributes that are set; long lists shortened."""

from domain.codec import Json
from tools.views.searched import searched, second

MOST_ITEMS = 12
MOST_CHARS = 300
# Zeros that say nothing, and there are as many as processes and links.
IDLE = {("process", name) for name in ("cpu_percent", "memory_percent")} | {
    ("interface", name) for name in ("rx_dropped", "rx_errors", "tx_dropped", "tx_errors")
}


def facts(data: Json) -> str:
    """One line a fact, facts of one entity together; of events that repeat the first and the last, with how many."""
    runs: list[list[Json]] = []
    for f in data["facts"]:
        if runs and _alike(runs[-1][-1], f):
            runs[-1].append(f)
        else:
            runs.append([f])
    return searched(data, [line for run in runs for line in _run(run)])


def _alike(one: Json, other: Json) -> bool:
    """Whether the same happened to the same thing again."""
    told = [(f["entity"], f["kind"], f["attributes"].get("event")) for f in (one, other)]
    return told[0] == told[1] and bool(told[0][2] and one.get("at") and other.get("at"))


def _run(alike: list[Json]) -> list[str]:
    if len(alike) < 3:
        return [_fact(f) for f in alike]
    return [_fact(alike[0]), f"... {len(alike) - 2} more like it ...", _fact(alike[-1])]


def _fact(f: Json) -> str:
    told = " ".join(
        f"{name}={_value(value)}"
        for name, value in sorted(f["attributes"].items())
        if value not in (None, [], "") and not (value == 0 and (f["kind"], name) in IDLE)
    )
    at = f" at {second(f['at'])}" if f.get("at") else ""
    return f"{f['entity']} [{f['kind']}]{at} {told}"


def _value(value: Json) -> str:
    if isinstance(value, list):
        more = f" +{len(value) - MOST_ITEMS}" if len(value) > MOST_ITEMS else ""
        return f"[{', '.join(str(item)[:120] for item in value[:MOST_ITEMS])}{more}]"
    text = str(value)
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}..."
