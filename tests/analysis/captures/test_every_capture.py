"""Whole files: nothing lost, nothing raised, whatever stands in them."""

# ruff: noqa: E501 (samples are as long as programs print them)

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.captures import PARSERS, captures
from analysis.captures.command import parse_command
from analysis.captures.context import Context
from analysis.lines.timestamps import Clock
from domain.entity import is_entity
from domain.facts import attributes_of
from tests.analysis.captures.reading import read

CASES = Path(__file__).parents[4] / "shared" / "cases"
SETS = ("pool", "holmes", "opensre")
CLOCK = Clock(datetime(2026, 12, 1, tzinfo=UTC))
MOST_READINGS = 0.25


def artifacts() -> list[Path]:
    found = [path for name in SETS for path in (CASES / name).glob("*/artifacts/**/*")]
    return sorted(path for path in found if path.is_file() and path.suffix != ".diff")


@pytest.mark.skipif(not CASES.is_dir(), reason="the shared cases are not here")
def test_artifacts_of_real_incidents_parse_and_few_commands_stay_readings() -> None:
    parsers: list[str] = []
    for path in artifacts():
        text = path.read_text(encoding="utf-8", errors="replace")
        lines = text.split("\n")
        for capture in captures(str(path), text, CLOCK):
            parsers.append(capture.parser)
            for fact in capture.facts:
                assert is_entity(fact.entity) and set(fact.attributes) <= attributes_of(fact.kind), (path, fact)
                assert fact.quote is None or fact.quote in lines[(fact.line or 0) - 1], (path, fact)
    assert parsers
    assert parsers.count("reading") / len(parsers) <= MOST_READINGS


def test_every_parser_says_how_it_is_found() -> None:
    assert [parser.name for parser in PARSERS if not (parser.commands or parser.files or parser.looks)] == []
    names = [parser.name for parser in PARSERS]
    assert len(set(names)) == len(names)


WORDS = st.sampled_from([
    "NAME", "READY", "STATUS", "0/1", "Running", "{", "}", "[", "]", '"a": 1,', "|", "---", ":", "=", "Name:", "  Reason:", "100%", "1.5G", "/data", "\t",
    "10.0.0.1:80", "2026-01-01T00:00:00Z", "ü", "\x00", "\u2028", "-[ RECORD 1 ]", "Events:", "kernel:", "Out of memory", "services:", "$ df -h", "# x", "- 1",
])  # fmt: skip


@settings(max_examples=40)
@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=12).map("\n".join))
def test_no_text_makes_any_parser_fail(text: str) -> None:
    for parser in PARSERS:
        for line in (parser.commands or ("cat /x",))[:1]:
            context = Context("artifacts/x", parse_command(line), clock=CLOCK)
            for fact in parser.parse(text, context):
                assert is_entity(fact.entity) and set(fact.attributes) <= attributes_of(fact.kind), (parser.name, fact)


@settings(max_examples=40)
@given(st.text(max_size=200))
def test_any_file_is_read_without_failing(text: str) -> None:
    read(text)


def test_the_same_text_gives_the_same_facts() -> None:
    text = "$ ss -s\nTCP:   9 (estab 1, closed 2, orphaned 3, timewait 4)\n$ frob\n1\n"
    assert read(text) == read(text)


def test_a_quote_of_a_long_line_is_cut_to_what_a_citation_may_hold() -> None:
    (fact,) = read(f"$ sysctl x.y\nx.y = {'z' * 900}\n")
    assert fact.quote is not None and len(fact.quote) == 300
