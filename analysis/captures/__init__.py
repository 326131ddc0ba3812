"""Captured command output -> facts. One file per known output; the table below lists them all."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from analysis.captures import (
    architectures,
    certificates,
    clocks,
    cloud,
    compose,
    dependencies,
    df,
    docker_events,
    docker_format,
    docker_inspect,
    docker_ps,
    docker_stats,
    elasticsearch,
    files,
    firewall,
    identities,
    interfaces,
    kafka,
    kernel,
    kubectl_describe,
    kubectl_get,
    kubectl_lineage,
    limits,
    load,
    lsof,
    memory,
    mongo,
    names,
    probes,
    processes,
    prometheus,
    rabbitmq,
    readings,
    redis,
    settings,
    sockets,
    sql,
    storage,
    systemd,
    vault,
    versions,
    workers,
)
from analysis.captures.command import parse_command
from analysis.captures.context import Context, Parser
from analysis.captures.envelope import broken, refused, unwrapped
from analysis.captures.steps import steps
from analysis.captures.transcript import Block, split
from analysis.lines.timestamps import Clock
from domain.facts import Fact

PARSERS: Final[tuple[Parser, ...]] = (
    *docker_inspect.PARSERS,
    *docker_format.PARSERS,
    *docker_events.PARSERS,
    *docker_stats.PARSERS,
    *docker_ps.PARSERS,
    *compose.PARSERS,
    *kubectl_describe.PARSERS,
    *kubectl_lineage.PARSERS,
    *kubectl_get.PARSERS,
    *prometheus.PARSERS,
    *cloud.PARSERS,
    *df.PARSERS,
    *storage.PARSERS,
    *memory.PARSERS,
    *load.PARSERS,
    *processes.PARSERS,
    *lsof.PARSERS,
    *limits.PARSERS,
    *kernel.PARSERS,
    *systemd.PARSERS,
    *sockets.PARSERS,
    *interfaces.PARSERS,
    *probes.PARSERS,
    *names.PARSERS,
    *certificates.PARSERS,
    *firewall.PARSERS,
    *clocks.PARSERS,
    *sql.PARSERS,
    *redis.PARSERS,
    *mongo.PARSERS,
    *rabbitmq.PARSERS,
    *kafka.PARSERS,
    *elasticsearch.PARSERS,
    *files.PARSERS,
    *identities.PARSERS,
    *dependencies.PARSERS,
    *vault.PARSERS,
    *settings.PARSERS,
    *versions.PARSERS,
    *workers.PARSERS,
    *architectures.PARSERS,
    readings.LOGS,
)
_HEAD: Final = 4000  # characters by which an output of unknown command is recognised


class Capture(NamedTuple):
    """One command, who read it, and what came out."""

    block: Block
    parser: str  # `reading` where nobody knows the output
    facts: list[Fact]


def facts_of(name: str, text: str, clock: Clock) -> list[Fact]:
    """All facts of one file of captured output."""
    return [fact for capture in captures(name, text, clock) for fact in capture.facts]


def captures(name: str, text: str, clock: Clock) -> Iterator[Capture]:
    """The commands of a file, each with its facts."""
    for block in (step for whole in split(text, name) for step in steps(whole)):
        output, first_line = unwrapped(block)
        command = parse_command(block.command, block.host)
        context = Context(name, command, first_line, clock, block.arguments)
        yield Capture(block, *_read(output, context, block))


def _read(text: str, context: Context, block: Block) -> tuple[str, list[Fact]]:
    """The best parser's facts; without any, what the content looks like; else a reading."""
    if (missing := refused(text, context, block)) is not None:
        return "refused", missing
    if (failed := broken(text, context)) is not None:
        return "broken", failed
    if counted := readings.count(text, context):
        return "count" if counted[0].kind != "reading" else "reading", counted
    for parser in _candidates(text, context):
        facts = parser.parse(text, context)
        if facts or parser is readings.LOGS:
            return parser.name, facts + _body(text, context, parser)
    if noted := readings.notes(text, context):
        return "notes", noted
    return "reading", readings.reading(text, context)


def _body(text: str, context: Context, parser: Parser) -> list[Fact]:
    """What an answer that curl printed says of the server behind it."""
    if parser.name != "curl" or not text.strip():
        return []
    alike = [other for other in _alike(text) if other.name not in ("curl", "version")]
    return next((facts for other in alike if (facts := other.parse(text, context))), [])


def _candidates(text: str, context: Context) -> list[Parser]:
    """Those whose command it is, the most exact first; then those whose output it looks like."""
    fitting = [(parser.fits(context.command), parser) for parser in PARSERS]
    named = [parser for fit, parser in sorted((pair for pair in fitting if pair[0]), key=lambda pair: -pair[0])]
    return named + [parser for parser in _alike(text) if parser not in named]


def _alike(text: str) -> list[Parser]:
    head = text.lstrip("\n")[:_HEAD]
    return [parser for parser in PARSERS if parser.looks and parser.looks.search(head)]
