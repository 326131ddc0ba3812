"""uname -m, arch and image inspect with a template: what the machine is, and what an image is built for."""

import re
from typing import Final

from analysis.captures.context import Context, Parser, safe_entity
from domain.facts import Fact

_WORD: Final = re.compile(
    r"(?i)\b(x86[-_]64|amd64|aarch64|arm64(?:/v8)?|armv?[5-8]\w*|armhf|i[3-6]86|386|ppc64(?:le|el)|s390x|riscv64)\b"
)
_KEY: Final = re.compile(r'\s*"Architecture": ')
_ASKS_MACHINE: Final = re.compile(r"^(?:uname -\w*m\w*|arch|dpkg --print-architecture)$")


def parse_machine(text: str, context: Context) -> list[Fact]:
    """One word: the machine's architecture."""
    line = next((line for line in context.lines(text) if line.text.strip()), None)
    match = _WORD.fullmatch(line.text.strip()) if line else None
    if line is None or match is None or not _ASKS_MACHINE.match(context.command.line):
        return []
    return [context.fact("cpu", context.place, line, architecture=match[1])]


def parse_image(text: str, context: Context) -> list[Fact]:
    """A template that asks for the architecture, or what grep left of the document; the images in their order."""
    template = context.command.value("-f", "--format") or ""
    lines = [line for line in context.lines(text) if "Architecture" in template or _KEY.match(line.text)]
    images = [word for word in context.command.words[2:] if not word.startswith("-") and "{" not in word]
    asked = [word for word in images if word not in ("image", "inspect")]
    return [
        context.fact("image", safe_entity("external", name, context.host), line, name=name, architecture=match[1])
        for name, line in zip(asked, (line for line in lines if line.text.strip()), strict=False)
        if (match := _WORD.search(line.text))
    ]


PARSERS: Final = (
    Parser("architecture", parse_machine, ("uname", "arch", "dpkg")),
    Parser(
        "image architecture",
        parse_image,
        ("docker image inspect", "podman image inspect", "nerdctl image inspect", "docker inspect", "podman inspect"),
    ),
)
