"""Reads JSON that a command printed: one document, a list, or one document a line."""

import json
from collections.abc import Mapping
from typing import Any

Json = Any


def documents(text: str) -> list[Json]:
    """The documents in the text, lists flattened one level; empty where it is no JSON."""
    stripped = text.strip()
    if not stripped or stripped[0] not in "[{":
        return []
    try:
        whole = json.loads(stripped)
    except ValueError:
        return _lines(stripped)
    return whole if isinstance(whole, list) else [whole]


def _lines(text: str) -> list[Json]:
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            if found:  # a cut last line; what stands before it still counts
                break
            return []
    return found


def at(document: Json, *path: str | int) -> Json:
    """What stands at the path, None where the way ends."""
    for step in path:
        document = _step(document, step)
    return document


def _step(document: Json, step: str | int) -> Json:
    if isinstance(step, int):
        inside = isinstance(document, list) and -len(document) <= step < len(document)
        return document[step] if inside else None
    return document.get(step) if isinstance(document, Mapping) else None


def mapping(document: Json, *path: str | int) -> dict[str, Json]:
    """The object at the path, empty where there is none."""
    found = at(document, *path)
    return found if isinstance(found, dict) else {}


def sequence(document: Json, *path: str | int) -> list[Json]:
    """The list at the path, empty where there is none."""
    found = at(document, *path)
    return found if isinstance(found, list) else []


def objects(document: Json, *path: str | int) -> list[dict[str, Json]]:
    """The objects of the list at the path."""
    return [item for item in sequence(document, *path) if isinstance(item, dict)]


def pairs(labels: Json) -> list[str]:
    """`k=v` of a mapping, sorted."""
    return sorted(f"{key}={value}" for key, value in labels.items()) if isinstance(labels, Mapping) else []


def words(value: Json) -> list[str]:
    """A command as its words, whether it was given as one text or as a list."""
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, list) else []
