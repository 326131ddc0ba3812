"""Provider profiles: what is known of each kind of server (profiles.toml), and what one 400 teaches about one."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlsplit

from domain.errors import BadConfiguration

UNKNOWN: Final = "unknown"
_LESSON: Final = "lesson"
_ABOUT_FORMAT: Final = re.compile(r"response_format|json_schema|json_object|structured output|schema", re.IGNORECASE)
_AT_MOST: Final = re.compile(
    r"max_(?:completion_)?tokens.*?(?:\[\s*\d+\s*,|at most|<=|less than or equal to|up to|maximum[^\d]{0,30})\s*(\d+)",
    re.IGNORECASE | re.DOTALL,
)


class Rung(StrEnum):
    """Forms in which one JSON object can be asked for, the best first."""

    SCHEMA = "schema"  # the server holds the model to the schema
    OBJECT = "object"  # the server holds it to JSON; the schema stands in the prompt
    TEXT = "text"  # nobody holds it; schema in the prompt, JSON in a fence


@dataclass(frozen=True)
class Profile:
    """One kind of server; profiles.toml explains each field."""

    name: str
    hosts: tuple[str, ...]
    port: int
    token_field: str
    structured: Rung
    body: Mapping[str, Any]
    tools_body: Mapping[str, Any]
    schema_body: Mapping[str, Any]
    echo: str
    null_content: bool
    flat: bool
    window: int
    max_output: int
    probe: str


@dataclass(frozen=True)
class Lesson:
    """What a refusal teaches."""

    says: str
    given: Mapping[str, Any] = field(default_factory=dict)
    set: Mapping[str, Any] = field(default_factory=dict)

    def of(self, profile: Profile, said: str) -> Profile | None:
        """The profile after it; None where it does not apply."""
        applies = self.says in said and all(getattr(profile, key) == value for key, value in self.given.items())
        return replace(profile, **self.set) if applies else None


def profile_for(base_url: str, name: str = "") -> Profile:
    """The profile of that name, else the one that the address tells. Raises BadConfiguration for an unknown name."""
    known = profiles()
    if name:
        if name not in known:
            raise BadConfiguration(f"profile {name!r} is unknown; there are {', '.join(known)}")
        return known[name]
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    by_host = (p for p in known.values() if any(host == end or host.endswith(f".{end}") for end in p.hosts))
    by_port = (p for p in known.values() if p.port and p.port == parts.port)
    return next(by_host, None) or next(by_port, None) or known[UNKNOWN]


@cache
def profiles() -> dict[str, Profile]:
    """All profiles by name."""
    tables = {name: table for name, table in _file().items() if name != _LESSON}
    return {name: _profile(name, {**tables[UNKNOWN], **table}) for name, table in tables.items()}


def learned(profile: Profile, said: str, sent: Mapping[str, Any]) -> Profile | None:
    """What a 400 with this text teaches, given what was sent beyond messages and tools; None: nothing."""
    text = said.lower()
    for key in (*profile.body, *profile.tools_body, *profile.schema_body):
        if key in sent and key.lower() in text:
            return _without(profile, key)
    if (most := _AT_MOST.search(said)) and 0 < int(most[1]) < profile.max_output:
        return replace(profile, max_output=int(most[1]))
    if "response_format" in sent and _ABOUT_FORMAT.search(said):
        return lower(profile, Rung.SCHEMA if sent["response_format"]["type"] == "json_schema" else Rung.OBJECT)
    return next((new for lesson in _lessons() if (new := lesson.of(profile, text))), None)


def lower(profile: Profile, failed: Rung) -> Profile:
    """The profile without the rung that failed and those above it."""
    rungs = list(Rung)
    return replace(profile, structured=rungs[min(rungs.index(failed) + 1, len(rungs) - 1)])


def _without(profile: Profile, key: str) -> Profile:
    def kept(body: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in body.items() if name != key}

    return replace(
        profile,
        body=kept(profile.body),
        tools_body=kept(profile.tools_body),
        schema_body=kept(profile.schema_body),
    )


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(files("agents.gateway").joinpath("profiles.toml").read_text("utf-8"))


@cache
def _lessons() -> tuple[Lesson, ...]:
    return tuple(Lesson(each["says"], each.get("if", {}), each["set"]) for each in _file()[_LESSON])


def _profile(name: str, table: Mapping[str, Any]) -> Profile:
    given = {**table, "hosts": tuple(table["hosts"]), "structured": Rung(table["structured"])}
    return Profile(name=name, **given)
