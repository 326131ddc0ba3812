"""docker ps, docker compose ps, podman ps, crictl ps: the containers of an engine and their state in words."""

import re
from dataclasses import replace
from typing import Any, Final

from analysis.captures.columns import aligned
from analysis.captures.context import Context, Line, Parser, first, safe_entity
from analysis.captures.jsons import documents
from domain.facts import Fact

_STATUS: Final = re.compile(
    r"(Up|Exited|Restarting|Created|Paused|Dead|Removal In Progress|Stopped|running|exited|"
    r"restarting|created|paused|dead)"
    r"(?: \((\d+)\))?(?:[^()]*?)(?: ?\((healthy|unhealthy|health: starting|starting|Paused)\))?\s*$"
)
_ANYWHERE: Final = re.compile(
    r"^(\S+)\s+(.*?)((?:Up|Exited|Restarting|Created|Dead)\b(?: \(\d+\))?"
    r"(?: (?:Less than |About )?(?:an?|\d+) \w+(?: ago)?)?"
    r"(?: \((?:un)?healthy\)| \(health: starting\))?)\s*(.*)$"
)
_PLAIN: Final = tuple(f"{engine} {how}" for engine in ("docker", "podman", "nerdctl")
                      for how in ("ps", "container ls", "container list"))  # fmt: skip
_OTHERS: Final = ("podman", "nerdctl")
_PLACE: Final = re.compile(r"\{\{\s*\.(\w+)\s*\}\}")
_TITLES: Final = {
    "NAMES": "NAMES", "PORTS": "PORTS", "STATUS": "STATUS", "STATE": "STATUS", "IMAGE": "IMAGE", "ID": "CONTAINER ID",
    "COMMAND": "COMMAND", "CREATEDAT": "CREATED", "RUNNINGFOR": "CREATED", "NETWORKS": "NETWORKS",
}  # fmt: skip
# A status has blanks of its own, so that a template with blanks alone does not tell where it ends.
_WORDED: Final = (
    r"((?:Up|Exited|Restarting|Created|Paused|Dead|Removal In Progress)\b(?: \(\d+\))?"
    r"(?: (?:Less than |About )?(?:an?|\d+) \w+(?: ago)?)?(?: \([^()]*\))?|.*?)"
)
_PORT: Final = re.compile(r"(?P<inside>\d+/\w+) -> (?P<at>\S+:\d+)")
_ALL: Final = re.compile(r"--all(?:=true)?|-[aqs]*a[aqs]*")
_SOME: Final = ("-f", "--filter", "-n", "--last", "-l", "--latest")  # options that leave containers out
_STATES: Final = {"up": "running", "stopped": "exited"}


def parse(text: str, context: Context) -> list[Fact]:
    """One container a row."""
    return [_listed(fact, context) for fact in _rows(text, context)]


def _rows(text: str, context: Context) -> list[Fact]:
    if found := documents(text):
        return [_json(document, context) for document in found if isinstance(document, dict)]
    lines = [line for line in context.lines(text) if line.text.strip()]
    if lines and re.match(r"(?:CONTAINER|NAME|POD ID|NAMES)\b", lines[0].text):
        return [_row(row.cells, row.line, context) for row in aligned(lines)]
    if templated := _templated(lines, context):
        return templated
    return [fact for line in lines if (fact := _formatted(line, context)) is not None]


def _templated(lines: list[Line], context: Context) -> list[Fact]:
    """Lines of a template of known places that has the name, read by its columns' titles."""
    template = context.command.value("--format").removeprefix("table ").replace("\\t", "\t")
    places = [place.upper() for place in _PLACE.findall(template)]
    if "NAMES" not in places or not set(places) <= _TITLES.keys():
        return []
    parts = [re.escape(part) for part in _PLACE.split(template)[::2]]
    parts = [part.replace(r"\\t", r"\s+") for part in parts]
    groups = [_WORDED if place == "STATUS" else "(.*?)" for place in places]
    pattern = re.compile(parts[0] + "".join(map("".join, zip(groups, parts[1:], strict=True))) + r"\s*")
    titles = [_TITLES[place] for place in places]
    matches = [(match, line) for line in lines if (match := pattern.fullmatch(line.text))]
    return [_row(dict(zip(titles, match.groups(), strict=True)), line, context) for match, line in matches]


def _listed(fact: Fact, context: Context) -> Fact:
    """Says which other engine than Docker it is of, and where all are listed: what is missing there does not exist."""
    asked = context.command
    if asked.program in _OTHERS:
        fact = replace(fact, attributes=fact.attributes | {"engine": asked.program})
    every = asked.plain.startswith(_PLAIN) and any(_ALL.fullmatch(word) for word in asked.words)
    if not every or asked.filters or any(word.startswith(_SOME) for word in asked.words):
        return fact
    return replace(fact, attributes=fact.attributes | {"listed": "all"})


def status_attributes(status: str) -> dict[str, Any]:
    """`Up 3 weeks (healthy)`, `Exited (137) 2 minutes ago` -> state, exit code, health."""
    match = _STATUS.match(status.strip())
    if match is None:
        return {"status": status}
    word, code, health = match.groups()
    state = "paused" if health == "Paused" else _STATES.get(word.lower(), word.lower())
    told = {"health: starting": "starting", "Paused": None}.get(health or "", health)
    return {"status": status, "state": state, "exit_code": int(code) if code else None, "health": told}


def _row(cells: dict[str, str], line: Line, context: Context) -> Fact:
    status = cells.get("STATUS") or cells.get("STATE") or ""
    name = first(cells.get(key) for key in ("NAMES", "NAME", "CONTAINER ID", "CONTAINER"))
    return context.fact(
        "container",
        safe_entity("container", str(name or "").split(",")[0]),
        line,
        **status_attributes(status),
        id=cells.get("CONTAINER ID"),
        image=cells.get("IMAGE"),
        command=cells.get("COMMAND", "").strip('"'),
        created_at=cells.get("CREATED"),
        ports=_ports(cells.get("PORTS", "")),
        service=cells.get("SERVICE"),
    )


def _ports(text: str) -> list[str]:
    return [port for port in re.split(r",\s*", text.strip()) if port]


def _json(document: dict[str, Any], context: Context) -> Fact:
    names = document.get("Names") or document.get("Name") or document.get("ID") or ""
    name = names[0] if isinstance(names, list) and names else str(names).split(",")[0]
    told = status_attributes(str(document.get("Status") or document.get("State") or ""))
    ports = document.get("Ports") or ""
    return context.fact(
        "container",
        safe_entity("container", str(name).lstrip("/")),
        None,
        **told | {"health": document.get("Health") or told.get("health"), "state": _state(document, told)},
        id=document.get("ID") or document.get("Id"),
        image=document.get("Image"),
        command=str(document.get("Command") or ""),
        service=document.get("Service"),
        project=document.get("Project"),
        ports=_ports(ports) if isinstance(ports, str) else [],
    )


def _state(document: dict[str, Any], told: dict[str, Any]) -> Any:
    state = document.get("State")
    return state.lower() if isinstance(state, str) and state else told.get("state")


def _formatted(line: Line, context: Context) -> Fact | None:
    """A line of --format: the name first, a status somewhere behind it."""
    match = _ANYWHERE.match(line.text.replace("\t", "  "))
    if match is None:
        return None
    ports = _ports(match[4]) if "->" in match[4] or "/tcp" in match[4] else []
    image = match[2].strip().split(" ")[0]
    return context.fact(
        "container",
        safe_entity("container", match[1].lstrip("/")),
        line,
        **status_attributes(match[3].strip()),
        ports=ports,
        image=image,
    )


def parse_port(text: str, context: Context) -> list[Fact]:
    """`docker port NAME`: what is published, `80/tcp -> 0.0.0.0:8080` a line."""
    words = context.command.words
    found = [(line, match) for line in context.lines(text) if (match := _PORT.fullmatch(line.text.strip()))]
    if not found or len(words) < 3:
        return []
    ports = [f"{match['at']}->{match['inside']}" for _, match in found]
    return [context.fact("container", safe_entity("container", words[2]), found[0][0], ports=ports)]


PARSERS: Final = (
    Parser("docker port", parse_port, ("docker port", "podman port", "docker container port")),
    Parser(
        "docker ps", parse,
        ("docker ps", "docker container ls", "docker container list", "docker compose ps", "docker-compose ps",
        "podman ps",
         "podman container ls", "nerdctl ps", "crictl ps", "docker service ps", "docker stack ps"),
        looks=re.compile(r"\A\s*(?:CONTAINER ID\s+IMAGE\s|NAMES?\s+(?:IMAGE\s+)?COMMAND\s+SERVICE|NAMES\s+STATUS)"),
    ),
)  # fmt: skip
