"""The one way from domain types to plain JSON and back."""

import hashlib
import json
from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

T = TypeVar("T")
Json = Any  # None, bool, int, float, str, list and dict of these


@cache
def _adapter(of: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast(Any, of))


def to_plain(value: object) -> Json:
    """Plain JSON: dataclasses become dicts, tuples lists, times RFC 3339 with `Z`."""
    return _adapter(cast(Hashable, Any if isinstance(value, list | tuple | dict) else type(value))).dump_python(
        value, mode="json"
    )


def from_plain(of: type[T], value: Json) -> T:
    """The value as type `of`; unknown keys are ignored. Raises pydantic.ValidationError."""
    return cast(T, _adapter(cast(Hashable, of)).validate_python(value))


def dumps(value: object) -> str:
    """Canonical JSON text: sorted keys, no blanks, no escapes, NaN refused. Equal values give equal bytes."""
    return json.dumps(to_plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def digest(value: object) -> str:
    """The sha256 of the canonical text, in hex."""
    return hashlib.sha256(dumps(value).encode("utf-8", "surrogatepass")).hexdigest()
