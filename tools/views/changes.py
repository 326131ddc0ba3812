"""View of changes: the latest first, with reach and the files touched."""

from domain.codec import Json
from tools.views.searched import searched


def changes(data: Json) -> str:
    """One line a change."""
    return searched(data, [_change(c) for c in data["changes"]])


def _change(c: Json) -> str:
    ago = f"{c['minutes_before']:.0f} min before" if c.get("minutes_before") is not None else "time unknown"
    reach = {True: "can reach the symptom", False: "cannot reach the symptom", None: ""}[c.get("reachable")]
    files = ", ".join(c["files"][:6]) + (f" and {len(c['files']) - 6} more" if len(c["files"]) > 6 else "")
    parts = [f"{c['time']} ({ago}) {c['kind']} {c['id']} of {c['entity']}: {c['summary']}", reach, files]
    return "; ".join(part for part in parts if part)
