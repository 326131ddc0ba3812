"""View of typed facts: entity, kind, and the attributes that are set; long lists shortened."""

from domain.codec import Json
from tools.views.searched import searched

MOST_ITEMS = 12
MOST_CHARS = 300


def facts(data: Json) -> str:
    """One line a fact, facts of one entity together."""
    return searched(data, [_fact(f) for f in data["facts"]])


def _fact(f: Json) -> str:
    told = " ".join(
        f"{name}={_value(value)}" for name, value in sorted(f["attributes"].items()) if value not in (None, [], "")
    )
    at = f" at {f['at']}" if f.get("at") else ""
    return f"{f['entity']} [{f['kind']}]{at} {told}"


def _value(value: Json) -> str:
    if isinstance(value, list):
        more = f" +{len(value) - MOST_ITEMS}" if len(value) > MOST_ITEMS else ""
        return f"[{', '.join(str(item)[:120] for item in value[:MOST_ITEMS])}{more}]"
    text = str(value)
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}..."
