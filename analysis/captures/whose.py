"""Whose output a block of a capture is: the pod whose log was read, the node a shell was opened on, the container."""

import re
from collections.abc import Mapping
from typing import Any, Final

from analysis.captures.command import Command, operands, parse_command
from analysis.captures.context import safe_entity
from analysis.captures.transcript import Block

_KUBECTL: Final = ("kubectl", "oc", "k")
_ENGINES: Final = ("docker", "podman", "nerdctl", "crictl")
_KINDS: Final = {"pod": "pod", "pods": "pod", "po": "pod", "node": "host", "nodes": "host", "no": "host"}
_VALUED: Final = ("--tail", "-n", "--since", "--until")  # options of `logs` whose value stands apart
_ONE: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")  # a name, no wildcard and no list


def whose(block: Block) -> str:
    """The entity that printed the block or whose text it is; nothing where the block does not tell."""
    if block.arguments:
        return _of_call(block.arguments)
    return _of_command(parse_command(block.command, block.host))


def _of_call(told: Mapping[str, Any]) -> str:
    """Of a recorded tool call: the pod it asked for, the object it described, or where its command ran."""
    if isinstance(line := told.get("command"), str):
        return _of_command(parse_command(line))
    if pod := told.get("pod_name") or told.get("pod"):
        return _named("pod", pod)
    kind = _KINDS.get(str(told.get("kind") or "").lower(), "")
    return _named(kind, told.get("name")) if kind else ""


def _of_command(command: Command) -> str:
    if command.inside:
        return command.inside
    words = operands(command.words[1:])
    if command.program in _KUBECTL and words:
        return _of_kubectl(words)
    if command.program in _ENGINES and words:
        words = words[1:] if words[0] == "container" else words
        if words[0] == "logs" and len(words) > 1:
            return _named("container", _logged(command.words) or words[-1])
        return _named("container", words[1]) if len(words) == 2 and words[0] == "inspect" else ""
    return _named("host", command.host) if command.host else ""


def _logged(words: tuple[str, ...]) -> str:
    """The name in `logs --tail 20 web` and `logs web --tail 20`: no option, and no option's value."""
    after = words[words.index("logs") + 1 :] if "logs" in words else ()
    before = ("", *after)
    names = (word for last, word in zip(before, after, strict=False) if last not in _VALUED and word[:1] != "-")
    return next(names, "")


def _of_kubectl(words: tuple[str, ...]) -> str:
    verb, *rest = words
    if verb == "logs" and rest:
        kind, _, name = rest[0].rpartition("/")
        return _named("pod" if _KINDS.get(kind or "pod") else "service", name)
    if verb == "describe" and rest:
        kind, slash, name = rest[0].partition("/")
        name = name if slash else rest[1] if len(rest) == 2 else ""
        return _named(_KINDS[kind], name) if kind in _KINDS else ""
    return ""


def _named(kind: str, name: object) -> str:
    """The entity, where it is one plain name."""
    return safe_entity(kind, name) if isinstance(name, str) and _ONE.fullmatch(name) else ""
