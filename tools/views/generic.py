"""View of a result whose form nobody described: its JSON, short texts as they are."""

import json

from domain.codec import Json


def plain(data: Json) -> str:
    """A lone text as text, all else as indented JSON."""
    if isinstance(data, dict) and list(data) == ["text"] and isinstance(data["text"], str):
        return data["text"]
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True)
