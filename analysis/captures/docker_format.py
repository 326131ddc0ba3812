"""docker inspect with a Go template, or through grep: single fields instead of whole documents."""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from analysis.captures.context import Context, Line, Parser, safe_entity
from analysis.captures.docker_inspect import container
from analysis.captures.units import number
from domain.facts import Fact

_PLACE: Final = re.compile(r"\{\{\s*(?:json\s+)?(\.[\w.]+)?[^}]*\}\}")
_LOOP: Final = re.compile(r"\{\{-?\s*(?:range\b[^}]*|end)\s*-?\}\}")  # around fields of each network
_INDEX: Final = re.compile(r"\(index (\.[\w.]+) \d+\)(?=\.)")  # `(index .State.Health.Log 0).Output`
_JSON: Final = (
    r"""(\[.*?\]|\{.*?\}|"(?:[^"\\]|\\.)*"|[^\s\[{"]\S*)"""  # what `{{json .X}}` prints, on a line with others
)
_FRAGMENT: Final = re.compile(r'\s*"(\w+)":\s*(.*?),?\s*$')
_NOTHING: Final = ("", "<no value>", "<nil>", "null", "[]", "map[]")


def _truth(text: str) -> bool:
    return text == "true"


def _list(text: str) -> list[str]:
    return text.strip("[]").split()


def _told(text: str) -> str:
    """A string or a list of words, whether the template printed it as JSON or as Go does."""
    try:
        value = json.loads(text)
    except ValueError:
        value = _list(text) if text.startswith("[") else text
    words = value if isinstance(value, list) else [value]
    return " ".join(str(word) for word in words if word not in ("CMD", "CMD-SHELL")).strip()


def _limit(text: str) -> int | float | None:
    """Zero and minus one mean no limit."""
    value = number(text)
    return value if value is not None and value > 0 else None


_FIELDS: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    "Memory": ("memory_limit", _limit), "PidsLimit": ("pids_limit", _limit), "ShmSize": ("shm_size", number),
    "OOMKilled": ("oom_killed", _truth), "ExitCode": ("exit_code", number), "RestartCount": ("restart_count", number),
    "Image": ("image", str), "Error": ("error", str), "User": ("user", str), "StartedAt": ("started_at", str),
    "FinishedAt": ("finished_at", str), "NetworkMode": ("network_mode", str), "Privileged": ("privileged", _truth),
    "FailingStreak": ("health_streak", number), "IPAddress": ("addresses", _list), "Env": ("env", _list),
    "Cmd": ("command", _list), "Entrypoint": ("entrypoint", _list), "Init": ("init", _truth), "Status": ("state", str),
    "Hostname": ("hostname", str), "Id": ("id", str), "Created": ("created_at", str), "Platform": ("platform", str),
}  # fmt: skip
_BY_PATH: Final[dict[str, tuple[str, Callable[[str], Any]]]] = {
    ".State.Health.Status": ("health", str), ".HostConfig.LogConfig.Type": ("log_driver", str),
    ".HostConfig.RestartPolicy.Name": ("restart_policy", str), ".Config.Image": ("image", str),
    ".Image": ("image_id", str), ".State.Health.Log.Output": ("health_output", _told),
    ".Output": ("health_output", _told), ".State.Health.Log.ExitCode": ("health_exit_code", number),
    ".Config.Healthcheck.Test": ("health_command", _told),
}  # fmt: skip

_OF_VOLUME: Final = {".Name": "name", ".CreatedAt": "created", ".Driver": "driver", ".Mountpoint": "mountpoint"}


def parse(text: str, context: Context) -> list[Fact]:
    """One container a line of a template's output, or one of all fragments that grep left."""
    template = _INDEX.sub(r"\1", _LOOP.sub("", context.command.value("-f", "--format")))
    lines = [line for line in context.lines(text) if line.text.strip()]
    if not template:
        return _fragments(lines, context)
    paths = _PLACE.findall(template)
    if len(paths) == 1 and lines and lines[0].text.lstrip()[:1] in "{[":
        return _nested(paths[0], text, context)
    pattern = _pattern(template)
    found = [(match, line) for line in lines if (match := pattern.fullmatch(line.text.strip()))]
    asked = _named(context)
    return [
        fact
        for at, (match, line) in enumerate(found)
        if (fact := _fact(paths, match.groups(), asked[at] if at < len(asked) else "", line, context)) is not None
    ]


def parse_volumes(text: str, context: Context) -> list[Fact]:
    """One volume a line of the template's output, as `docker volume` prints it."""
    template = context.command.value("-f", "--format")
    paths = _PLACE.findall(template)
    pattern = re.compile("(.*?)".join(re.escape(part) for part in _literals(template)) + r"\s*")
    lines = [line for line in context.lines(text) if line.text.strip()] if ".Name" in paths else []
    found = [(match.groups(), line) for line in lines if (match := pattern.fullmatch(line.text.strip()))]
    return [
        context.fact("volume", safe_entity("volume", told["name"]), line, **told)
        for values, line in found
        for told in [{_OF_VOLUME[path]: value for path, value in zip(paths, values, strict=True) if path in _OF_VOLUME}]
        if told["name"]
    ]


def _pattern(template: str) -> re.Pattern[str]:
    """A line of the template's output, with a group for each place."""
    groups = [_JSON if place[0].startswith("{{json ") else "(.*?)" for place in _PLACE.finditer(template)]
    parts = [re.escape(part) for part in _literals(template)]
    return re.compile("".join(map("".join, zip(parts, [*groups, ""], strict=True))) + r"\s*")


def _literals(template: str) -> list[str]:
    return [part.replace("\\n", "").replace("\\t", "\t") for part in _PLACE.sub("\0", template.strip()).split("\0")]


def _named(context: Context) -> list[str]:
    words = context.command.words
    return [
        word
        for word in words[2:]
        if not word.startswith("-") and "{" not in word and word not in ("container", "inspect")
    ]


def _fact(paths: list[str], values: tuple[str, ...], asked: str, line: Line, context: Context) -> Fact | None:
    told: dict[str, Any] = {}
    name = asked
    for path, value in zip(paths, values, strict=True):
        known = _BY_PATH.get(path) or _FIELDS.get(path.rpartition(".")[2])
        if path == ".Name":
            name = value.lstrip("/")
        elif known and value.strip() not in _NOTHING:
            told[known[0]] = known[1](value.strip())
    return (
        context.fact("container", safe_entity("container", name), line, **told)
        if name and (told or not asked or paths)
        else None
    )


def _nested(path: str, text: str, context: Context) -> list[Fact]:
    """`{{json .State}}`: the part, put back to where it stands in the whole document."""
    try:
        part = json.loads(text)
    except ValueError:
        return []
    for step in reversed([step for step in path.split(".") if step]):
        part = {step: part}
    asked = _named(context)
    return [container({"Name": asked[0], **part}, context)] if asked and isinstance(part, dict) and path else []


def _fragments(lines: list[Line], context: Context) -> list[Fact]:
    """`docker inspect web | grep -i oom`: single `"Key": value` lines, each a fact with its own line."""
    asked = _named(context)
    facts = []
    for line in lines:
        match = _FRAGMENT.match(line.text)
        known = _FIELDS.get(match[1]) if match else None
        if match and known and asked and (value := match[2].strip('"')) not in (*_NOTHING, "{", "["):
            facts.append(
                context.fact("container", safe_entity("container", asked[0]), line, **{known[0]: known[1](value)})
            )
    return facts


PARSERS: Final = (
    Parser(
        "docker volume fields",
        parse_volumes,
        ("docker volume inspect", "docker volume ls", "podman volume inspect", "podman volume ls"),
    ),
    Parser(
        "docker inspect fields",
        parse,
        ("docker inspect", "docker container inspect", "podman inspect", "nerdctl inspect"),
    ),
)
