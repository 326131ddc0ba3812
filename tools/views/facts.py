"""View of typed facts: entity, kind, and the attributes that are set; long lists shortened."""

from domain.codec import Json
from tools.views.searched import searched, second

MOST_ITEMS = 12
MOST_CHARS = 240
SHORT = 160  # characters of a setting that shares its line with others
# What another attribute of the same fact says better, or what is as it is everywhere.
UNTOLD = {
    ("process", "vsz"), ("filesystem", "size"), ("filesystem", "used"), ("filesystem", "inodes"),
    ("filesystem", "inodes_used"), ("filesystem", "options"), ("filesystem", "device"), ("kernel", "pid"),
    ("memory", "cache"), ("memory", "free"), ("memory", "shared"), ("interface", "mac"),
}  # fmt: skip
USUAL = {("process", "state"): "S", ("process", "threads"): 1, ("filesystem", "read_only"): False,
         ("firewall", "exists"): True, ("firewall", "table"): "filter", ("socket", "protocol"): "tcp"}  # fmt: skip
# Zeros that say nothing, and there are as many as processes and links.
IDLE = {("process", name) for name in ("cpu_percent", "memory_percent", "ppid")} | {
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


def _is_setting(f: Json) -> bool:
    """Whether it is a name and a value and no more, of which there are many."""
    attributes = f["attributes"]
    return f["kind"] == "setting" and set(attributes) <= {"name", "value", "origin"} and len(str(attributes)) < SHORT


def _settings(of: list[Json]) -> str:
    told = (f"{f['attributes'].get('name')}={_value(f['attributes'].get('value'))}" for f in of)
    origin = of[0]["attributes"].get("origin") or ""
    return f"{of[0]['entity']} [setting]{f' origin={origin}' if origin else ''} {' '.join(told)}"


def _alike(one: Json, other: Json) -> bool:
    """Whether the two are told together: the same happened to the same thing again, or both are settings of it."""
    if _is_setting(one) and _is_setting(other):
        return bool(
            (one["entity"], one["attributes"].get("origin")) == (other["entity"], other["attributes"].get("origin"))
        )
    told = [(f["entity"], f["kind"], f["attributes"].get("event")) for f in (one, other)]
    return told[0] == told[1] and bool(told[0][2] and one.get("at") and other.get("at"))


def _run(alike: list[Json]) -> list[str]:
    if _is_setting(alike[0]):
        return [_settings(alike[at : at + MOST_ITEMS]) for at in range(0, len(alike), MOST_ITEMS)]
    if len(alike) < 3:
        return [_fact(f) for f in alike]
    return [_fact(alike[0]), f"... {len(alike) - 2} more like it ...", _fact(alike[-1])]


def _fact(f: Json) -> str:
    told = " ".join(
        f"{name}={_value(value)}"
        for name, value in sorted(f["attributes"].items())
        if value not in (None, [], "") and not _goes_without_saying(f["kind"], name, value)
    )
    at = f" at {second(f['at'])}" if f.get("at") else ""
    return f"{f['entity']} [{f['kind']}]{at} {told}"


def _goes_without_saying(kind: str, name: str, value: Json) -> bool:
    key = (kind, name)
    return key in UNTOLD or (value == 0 and key in IDLE) or (key in USUAL and value == USUAL[key])


def _value(value: Json) -> str:
    if isinstance(value, list):
        more = f" +{len(value) - MOST_ITEMS}" if len(value) > MOST_ITEMS else ""
        return f"[{', '.join(str(item)[:120] for item in value[:MOST_ITEMS])}{more}]"
    text = str(value).strip()
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}..."
