"""Whose text a source is: told by the recorded tool call or command at its top, else by its path."""

import re
from pathlib import PurePosixPath
from typing import Final

from analysis.captures import kube_words
from analysis.captures.command import operands, parse_command
from analysis.captures.context import safe_entity
from analysis.captures.transcript import Block, split

_LOGS: Final = re.compile(r"logs?\b|_logs|logs_")
_POD_FOLDER: Final = re.compile(r"(?:^|/)pods?/(?:[^/]+/)*?([^/]+)$")
_ENGINES: Final = ("docker", "podman", "nerdctl", "docker-compose", "crictl")
_CLUSTERS: Final = ("kubectl", "oc", "k")


def subject_of(name: str, head: str = "") -> str:
    """The container, pod or service a text is of, from its first line and its path; empty where neither tells."""
    first, _, _ = head.partition("\n")
    block = next(iter(split(first, "")), None)
    return (_of_block(block) if block else "") or _of_path(name)


def _of_block(block: Block) -> str:
    told = block.arguments
    for key, kind in (("pod_name", "pod"), ("pod", "pod"), ("container_name", "container"), ("container", "container")):
        if isinstance(told.get(key), str) and told[key] not in ("", "*"):
            return safe_entity(kind, told[key])
    command = parse_command(block.command, block.host)
    if "logs" not in command.words:
        return ""
    named = operands(command.words[command.words.index("logs") + 1 :])
    if command.program in _CLUSTERS and named:
        container = command.value("-c", "--container")
        kind, _, target = named[0].rpartition("/")
        return safe_entity("container", container) if container else kube_words.kube_entity(kind or "pod", target)
    return safe_entity("container", named[-1]) if command.program in _ENGINES and named else ""


def _of_path(name: str) -> str:
    """A pod by its folder, or by the generated tail of its name."""
    stem = PurePosixPath(name).name.partition(".")[0]
    if (match := _POD_FOLDER.search(name)) is not None:
        return safe_entity("pod", match[1].partition(".")[0])
    if name.startswith("logs/"):
        return safe_entity("pod", stem) if _is_pod(stem) else ""
    words = [word for word in re.split(r"_", stem) if _is_pod(word)] if _LOGS.search(stem) else []
    return safe_entity("pod", words[0]) if words else ""


def _is_pod(word: str) -> bool:
    """Whether a name has a generated tail; a plain number (`web-1`) may be anything."""
    return bool(kube_words.workload_of(word)) and not re.fullmatch(r".*-\d{1,3}", word)
