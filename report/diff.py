"""What is different between two report.json: to compare a replay with its recording, or two versions."""

from collections.abc import Iterator
from typing import Final

from analysis.text import clip
from domain.codec import Json, dumps
from report.pointer import same

VOLATILE: Final = ("run",)  # the only part with clocks, ids and durations
VALUE: Final = 80
_ABSENT: Final = object()


def differences(old: Json, new: Json) -> list[str]:
    """One line for each place where the two differ, `run` aside; none when they say the same."""
    return list(_between(_lasting(old), _lasting(new), ""))


def _lasting(report: Json) -> Json:
    return {key: value for key, value in report.items() if key not in VOLATILE} if isinstance(report, dict) else report


def _between(old: object, new: object, path: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _between(old.get(key, _ABSENT), new.get(key, _ABSENT), f"{path}.{key}".lstrip("."))
    elif isinstance(old, list) and isinstance(new, list):
        for n in range(max(len(old), len(new))):
            yield from _between(_item(old, n), _item(new, n), f"{path}[{n}]")
    elif old is _ABSENT or new is _ABSENT or not same(old, new):
        yield f"{path}: {_shown(old)} -> {_shown(new)}"


def _item(items: list[Json], n: int) -> object:
    return items[n] if n < len(items) else _ABSENT


def _shown(value: object) -> str:
    return "absent" if value is _ABSENT else clip(dumps(value), VALUE)
