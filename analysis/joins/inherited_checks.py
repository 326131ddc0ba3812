"""Health checks that ask a worker for the web server of its image: it has none, and is found unhealthy for ever."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.inventory_names import texts
from analysis.joined_fact import JoinedFact
from domain.facts import Attribute, Fact

NAME: Final = "inherited_check"
_REFUSED: Final = re.compile(r"(?i)refused|failed to connect|could ?n.t connect|unable to connect|ECONNREFUSED")
_ASKS: Final = re.compile(
    r"(?i)(?:localhost|127\.0\.0\.1|\[?::1\]?|0\.0\.0\.0)\]?[:/ ]+(\d{2,5})\b|https?://localhost\b"
)
_WORKER: Final = re.compile(
    r"(?i)\bcelery\b.*\b(?:worker|beat)\b|\bqueue:(?:work|listen)\b|\bschedule:(?:run|work)\b|\brq(?:worker)?\b"
    r"|\b(?:sidekiq|horizon|resque|dramatiq|huey_consumer\w*|arq|delayed_job|good_job|solid_queue|shoryuken|crond?"
    r"|supercronic|workers?|consumers?|messenger:consume|scheduler|beat|jobs)\b"
)
_SERVER: Final = re.compile(
    r"(?i)\b(?:gunicorn|uvicorn|hypercorn|daphne|granian|puma|unicorn|thin|passenger|nginx|httpd|apache2\S*|caddy|php-fpm"
    r"|runserver|flower|serve|server|rails s)\b"
)

_OPTION: Final = re.compile(r"(?<!\S)-\S*")  # a server has `--workers 4` too


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each running container whose check is refused at a port that its command does not open."""
    for at, fact in enumerate(case.facts):
        if fact.kind != "container" or not _refused(fact):
            continue
        command = _command(fact)
        place = _server_of_image(case, fact)
        if command and not _SERVER.search(command) and _is_worker(fact, command, beside=place is not None):
            check = fact.attributes.get("health_command")
            told: dict[str, Attribute] = {"name": NAME, "text": command}
            told |= {"value": check} if check else {}
            server = case.cite(place, "command") if place is not None else ()
            cited = (*case.cite(at, "health_output", "command"), *server)
            yield JoinedFact(Fact("note", fact.entity, told), cited)


def _refused(fact: Fact) -> bool:
    told = fact.attributes
    asked, output = str(told.get("health_command") or ""), str(told.get("health_output") or "")
    fails = told.get("state") == "running" and told.get("health") in ("starting", "unhealthy")
    return fails and bool(_ASKS.search(f"{asked} {output}") and _REFUSED.search(output))


def _is_worker(fact: Fact, command: str, beside: bool) -> bool:
    """Whether it opens no port, by its command or `beside` a well server of its image; one that starts, by both."""
    named = bool(_WORKER.search(_OPTION.sub("", command)))
    return named and beside if fact.attributes.get("health") == "starting" else named or beside


def _command(fact: Fact) -> str:
    """What it runs, with its entrypoint."""
    command = fact.attributes.get("command")
    words = " ".join(texts(fact.attributes, "command")) if isinstance(command, list | tuple) else str(command or "")
    return " ".join((*texts(fact.attributes, "entrypoint"), words)).strip()


def _server_of_image(case: Case, fact: Fact) -> int | None:
    """A container of the same image that runs a server and is well."""
    image = fact.attributes.get("image")
    for at, other in enumerate(case.facts):
        alike = other.kind == "container" and image and other.attributes.get("image") == image
        well = other.attributes.get("health") == "healthy" and _SERVER.search(_command(other))
        if alike and well and not case.inventory.same(other.entity, fact.entity):
            return at
    return None
