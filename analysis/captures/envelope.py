"""What recorders wrap around an output: `stdout:` and `stderr:` marks, and refusals of the tool itself."""

import re
from typing import Final

from analysis.captures import kube_words
from analysis.captures.context import Context, Line
from analysis.captures.transcript import Block
from domain.facts import Fact

_STDERR: Final = re.compile(r"\n*^stderr:[ \t]*\n?", re.MULTILINE)
_NOT_FOUND: Final = re.compile(r"\(NotFound\): (\S+) \"([^\"]+)\" not found")
_FAILED: Final = re.compile(r"\A(?:Command `.*` failed with return code \d+|error: |Error from server)", re.IGNORECASE)


_BROKEN: Final = re.compile(
    r"\A\s*(?:OCI runtime exec failed|(?:docker: |podman: )?Error response from daemon|Cannot connect to the Docker"
    r"|.*: command not found$|.*: not found$|error: unable to upgrade connection|Unable to connect to the server"
    r"|The connection to the server|.*cannot execute|.*Resource temporarily unavailable|psql: error|ERROR \d+ \(\w+\)"
    r"|Could not connect|.*Permission denied$)"
)
_MOST_LINES: Final = 4


def broken(text: str, context: Context) -> list[Fact] | None:
    """A command that could not do its work, as a failed probe of the place it ran in; None for any other output."""
    lines = [line for line in context.lines(text) if line.text.strip()]
    if not lines or len(lines) > _MOST_LINES or not context.command.program or not _BROKEN.match(lines[0].text):
        return None
    said = lines[0].text.strip()[:500]
    told = {"type": context.command.program, "target": context.command.line[:200], "ok": False, "error": said}
    return [context.fact("probe", context.place, lines[0], **told)]


def unwrapped(block: Block) -> tuple[str, int]:
    """The output proper and the number of its first line; standard error stands below it where it says something."""
    text, first_line = block.text, block.first_line
    if text.startswith("stdout:"):
        text, first_line = text.partition("\n")[2], first_line + 1
        out, *errors = _STDERR.split(text, maxsplit=1)
        if not errors or not errors[0].strip():
            text = out
    return text, first_line


def refused(text: str, context: Context, block: Block) -> list[Fact] | None:
    """Facts of a call that failed: what was asked for does not exist, or why it could not be read; else None."""
    if block.status != "error" and not _FAILED.match(text):
        return None
    line = next((line for line in context.lines(text) if line.text.strip()), Line(context.first_line, text))
    if match := _NOT_FOUND.search(text):
        said = next((row for row in context.lines(text) if match[0] in row.text), line)
        of = kube_words.kube_entity(match[1], match[2])
        return [
            context.fact(
                "object",
                of,
                said,
                type=kube_words.kind_of(match[1]),
                exists=False,
                message=said.text.strip(),
                namespace=context.arguments.get("namespace"),
            )
        ]
    said = next((row for row in context.lines(text) if re.match(r"(?i)error", row.text)), line)
    kind, name = (
        str(context.arguments.get("kind") or "object"),
        str(context.arguments.get("keyword") or context.arguments.get("name") or ""),
    )
    if name and "return code 1" in text and not re.search(r"(?i)^error", text, re.MULTILINE):  # grep found nothing
        return [
            context.fact(
                "object",
                kube_words.kube_entity(kind, name),
                line,
                type=kube_words.kind_of(kind),
                exists=False,
                message=line.text,
            )
        ]
    return [
        context.fact(
            "reading",
            context.place,
            said,
            command=context.command.line,
            name=context.command.program,
            text=text.strip()[:1000],
        )
    ]
