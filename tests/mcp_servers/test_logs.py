"""The log tools over a bundle, asked through a real MCP session."""

import gzip
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from analysis.patterns import BadPattern
from bundle.bundle import open_bundle
from bundle.chunks import Chunk
from bundle.limits import Limits
from domain.codec import from_plain
from domain.results import Lines, SignatureHits, Templates, TextSources
from mcp_servers import ripgrep
from mcp_servers.log_match import quote
from mcp_servers.log_patterns import patterns
from mcp_servers.logs import logs
from mcp_servers.recorded.logs import RecordedLogs

MANIFEST = """\
id: small
fired_at: '2026-03-01T12:00:00Z'
window: {start: '2026-03-01T11:00:00Z', end: '2026-03-01T12:05:00Z'}
timezone: UTC
"""
SOME = ["a", "^a", "b$", "a.*b", '"[^"]*"', r"\s1", "^$", r"a\b", "(?i)B", "(?P<x>1+)"]
Ask = Callable[..., Awaitable[Any]]
TYPES = {
    "logs_list": TextSources, "logs_search": Lines, "logs_match": SignatureHits, "logs_templates": Templates,
    "logs_novel": Templates,
}  # fmt: skip


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Asks one tool of a bundle of these files, and answers its typed result."""

    async def asked(
        tool: str, files: dict[str, bytes | str], limits: Limits | None = None, zone: str = "UTC", **arguments: Any
    ) -> Any:
        content = {"incident.yaml": MANIFEST.replace("UTC", zone), "alert.json": "{}", **files}
        for name, data in content.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
        async with Client(logs(RecordedLogs(open_bundle(tmp_path, limits)))) as client:
            result = await client.call_tool(tool, arguments)
        if result.is_error:
            raise AssertionError(str(result.content))
        return from_plain(TYPES[tool], result.structured_content)

    return asked


def minutes(*texts: str) -> str:
    """Lines one minute apart, from 11:00 on."""
    return "".join(f"2026-03-01T11:{at:02}:00Z {text}\n" for at, text in enumerate(texts))


async def match(ask: Ask, files: dict[str, bytes | str], pattern: str, **more: Any) -> Any:
    return await ask("logs_match", files, signatures=[{"id": "rb/s", "pattern": pattern}], **more)


async def test_sources_are_listed_by_their_path_with_times_and_levels(ask: Ask) -> None:
    text = minutes("INFO up", "ERROR down", "INFO up")
    files = {"logs/a/web.log.gz": gzip.compress(text.encode()), "artifacts/df.txt": "Size Used\n"}
    found = await ask("logs_list", files)
    capture, log = found.sources
    assert (capture.name, capture.kind, capture.first) == ("artifacts/df.txt", "artifact", None)
    assert (log.name, log.kind, log.lines, log.levels) == ("logs/a/web.log.gz", "log", 3, {"error": 1, "info": 2})
    assert str(log.first) == "2026-03-01 11:00:00+00:00" and str(log.last) == "2026-03-01 11:02:00+00:00"


async def test_what_cannot_be_read_is_a_problem_of_every_answer(ask: Ask) -> None:
    files: dict[str, bytes | str] = {"logs/core": b"\x7fELF\x00" * 99, "logs/ok.log": "fine\n"}
    for tool, more in (("logs_list", {}), ("logs_search", {}), ("logs_novel", {"moment": "2026-03-01T12:00:00Z"})):
        found = await ask(tool, files, **more)
        assert found.searched.problems == ("logs/core: is binary, no text",)


async def test_an_empty_bundle_answers_with_nothing_rather_than_failing(ask: Ask) -> None:
    assert (await ask("logs_list", {})).sources == ()
    assert (await ask("logs_search", {})).lines == ()
    assert (await match(ask, {}, "x")).hits == ()
    assert (await ask("logs_templates", {})).templates == ()
    assert (await ask("logs_novel", {}, moment="2026-03-01T12:00:00Z")).templates == ()


async def test_grep_and_tail_limit_what_comes_back(ask: Ask) -> None:
    text = "".join(f"request {n} took {n % 7} ms\n" for n in range(10_000))
    found = await ask("logs_search", {"logs/a.log": text}, grep="took 3 ms", tail_n=5)
    assert [line.line for line in found.lines] == [9972, 9979, 9986, 9993, 10_000]
    assert found.lines[-1].text == "request 9999 took 3 ms"
    assert (found.searched.matched, found.searched.returned, found.searched.truncated) == (1429, 5, True)


async def test_the_last_lines_are_shared_between_sources(ask: Ask) -> None:
    files = {"logs/long.log": "".join(f"x {n}\n" for n in range(900)), "logs/short.log": "only\n"}
    found = await ask("logs_search", files, tail_n=4)
    assert [(line.source, line.text) for line in found.lines] == [
        ("logs/long.log", "x 897"), ("logs/long.log", "x 898"), ("logs/long.log", "x 899"), ("logs/short.log", "only"),
    ]  # fmt: skip


async def test_time_and_level_filter_at_the_source(ask: Ask) -> None:
    files = {"logs/a.log": minutes("INFO a", "ERROR b", "  at line of b", "WARN c", "ERROR d")}
    span = {"since": "2026-03-01T11:01:00Z", "until": "2026-03-01T12:03:00+01:00"}
    found = await ask("logs_search", files, **span)
    assert [line.line for line in found.lines] == [2, 3, 4]
    found = await ask("logs_search", files, level="warning", **span)
    assert [line.level for line in found.lines] == ["error", "warning"]
    assert (await ask("logs_search", files, grep="ERROR", **span)).searched.matched == 1


@pytest.mark.parametrize("tool", ["logs_search", "logs_match", "logs_templates", "logs_list"])
async def test_nothing_later_than_the_windows_end_is_returned(ask: Ask, tool: str) -> None:
    text = (
        "2026-03-01T12:04:00Z ERROR now\n2026-03-01T12:06:00Z ERROR later\n  of later\n2026-03-01T12:01:00Z ERROR old\n"
    )
    more = {"signatures": [{"id": "x", "pattern": "ERROR|of later"}]} if tool == "logs_match" else {}
    found = await ask(tool, {"logs/a.log": text}, **more)
    assert "12:06" not in str(found) and "later" not in str(found)
    if tool != "logs_list":
        assert found.searched.after_window == 2
    else:
        assert str(found.sources[0].last) == "2026-03-01 12:04:00+00:00"


async def test_a_globs_source_that_is_not_there_is_said(ask: Ask) -> None:
    files: dict[str, bytes | str] = {"logs/web.log.gz": gzip.compress(b"x\n"), "logs/db.log": "y\n"}
    for glob in ("logs/web.log.gz", "web.log", "logs/w*", "web*"):
        found = await ask("logs_search", files, sources=[glob, "nothing*"])
        assert [line.source for line in found.lines] == ["logs/web.log.gz"]
        assert found.searched.problems == ("nothing*: no source has such a name",)


@pytest.mark.parametrize(("name", "value"), [("grep", "(?=ahead)"), ("grep", "("), ("since", "noon"), ("tail_n", 501)])
async def test_a_bad_argument_is_a_clear_error(
    ask: Ask, name: str, value: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(AssertionError, match=r"RE2|RFC 3339|less than or equal to 500"):
        await ask("logs_search", {"logs/a.log": "x\n"}, **{name: value})
    assert "re2" not in capfd.readouterr().err


async def test_a_bad_signature_is_a_problem_and_the_others_still_run(ask: Ask) -> None:
    signatures = [{"id": "bad", "pattern": "(?<=x)y"}, {"id": "good", "pattern": "boom"}]
    found = await ask("logs_match", {"logs/a.log": "boom\n"}, signatures=signatures)
    assert [hit.id for hit in found.hits] == ["good"]
    assert found.searched.problems[0].startswith("bad: not RE2")


async def test_a_hit_has_count_times_captures_lines_and_spans(ask: Ask) -> None:
    text = minutes(*(f"kernel: Killed process {n} (app{n}) total-vm:{n}kB" for n in range(12)))
    found = await match(ask, {"logs/a.log": "noise\n" + text}, r"Killed process \d+ \((?P<entity>[^)]+)\)")
    (hit,) = found.hits
    assert (hit.id, hit.source, hit.count) == ("rb/s", "logs/a.log", 12)
    assert (hit.first.minute, hit.last.minute) == (0, 11)
    assert hit.captures == tuple({"entity": f"app{n}"} for n in range(8))
    assert [line.line for line in hit.lines] == [2, 3, 4]
    assert hit.lines[0].text == text.splitlines()[0] and hit.spans[0] == "Killed process 0 (app0)"


async def test_more_patterns_than_one_automaton_can_hold_still_run(ask: Ask) -> None:
    wide = [rf"part{n}[^;]{{900}}[^:]{{900}}|hit{n}\b" for n in range(40)]
    with pytest.raises(BadPattern, match="too large together"):
        patterns(tuple(wide))
    signatures = [{"id": f"s{n}", "pattern": text} for n, text in enumerate(wide)]
    found = await ask("logs_match", {"logs/a.log": minutes("hit3", "none", "hit39 and hit3")}, signatures=signatures)
    assert [(hit.id, hit.count, hit.last.minute) for hit in found.hits] == [("s3", 2, 2), ("s39", 1, 2)]


async def test_a_signature_looks_only_at_its_sources(ask: Ask) -> None:
    signatures = [{"id": "s", "pattern": "boom", "sources": "logs/b*,artifacts/*"}]
    files = {"logs/a.log": "boom\n", "logs/b.log": "boom\n", "artifacts/c.txt": "boom\n"}
    found = await ask("logs_match", files, signatures=signatures)
    assert [hit.source for hit in found.hits] == ["artifacts/c.txt", "logs/b.log"]


async def test_no_pattern_reaches_over_the_end_of_a_line(ask: Ask) -> None:
    text = 'open "a\nb" close\nstart\n\nend\n'
    for pattern in (r'"[^"]*"', r"start\s+end", r"(?s)a.b", r"start\nend"):
        assert (await match(ask, {"logs/a.log": text}, pattern)).hits == ()
    assert (await match(ask, {"logs/a.log": text}, r'^b" close$')).hits[0].lines[0].line == 2


async def test_what_a_stranger_wrote_does_not_count(ask: Ask) -> None:
    request = '192.0.2.1 - - [01/Mar/2026:11:00:00 +0000] "GET /?q=Out+of+memory:+Killed HTTP/1.1" 200 5 "-" '
    access = request + '"Out of memory: Killed"\n'
    found = await match(ask, {"logs/access.log": access}, r"Out.of.memory:.Killed")
    assert found.hits == ()
    kernel = "Mar  1 11:00:01 node kernel: Out of memory: Killed process 7\n"
    assert (await match(ask, {"logs/access.log": access + kernel}, r"Out.of.memory:.Killed")).hits[0].count == 1


@pytest.mark.parametrize(
    "raw",
    [
        b"\x1b[31mERROR\x1b[0m disk \x1b[1mfull\x1b[0m on sda\n",
        "ERROR disk full on sda\r\n".encode("utf-16"),
        b"ERROR disk full on sda \xff\xfe\n",
        b"ERROR disk full on sda",
        gzip.compress(b"ERROR disk full on sda\n"),
        zstd.compress(b"ERROR disk full on sda\n"),
    ],
)
async def test_every_form_of_text_is_searched(ask: Ask, raw: bytes) -> None:
    name = {b"\x1f\x8b": "logs/a.log.gz", b"\x28\xb5": "logs/a.log.zst"}.get(raw[:2], "logs/a.log")
    (hit,) = (await match(ask, {name: raw}, "^ERROR disk full")).hits
    assert (hit.source, hit.lines[0].line, hit.spans[0][:15]) == (name, 1, "ERROR disk full")


async def test_line_numbers_are_true_beside_escapes_and_blank_lines(ask: Ask) -> None:
    text = b"\n\n\x1b[2K\x1b[1G\r\n\x1b]0;title\x07one\n\x00\ntarget is here\n" + b"x" * 300 + b"\n"
    found = await ask("logs_search", {"artifacts/a.txt": b"head of the text, long enough\n" * 99 + text}, grep="target")
    assert found.lines[0].line == 105


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Mar  1 11:00:00 h boom\nMar  1 11:30:00 h boom\n", "11:00", "11:30"),
        ("2026-03-01 11:30:00 boom\n2026-03-01 11:10:00 boom\n", "11:10", "11:30"),
        (
            "2026-03-01T12:20:00+01:00 boom\n2026-03-01T03:10:00-08:00 boom\n2026-03-01T11:15:00Z boom\n",
            "11:10",
            "11:20",
        ),
        ("2026-03-01 11:20:00 ERROR x\nboom\n2026-03-01 11:40:00 INFO y\n  boom\n", "11:20", "11:40"),
        ("boom\n", None, None),
    ],
)
async def test_first_and_last_are_right_for_every_kind_of_stamp(
    ask: Ask, text: str, first: str | None, last: str | None
) -> None:
    (hit,) = (await match(ask, {"logs/a.log": text}, "boom")).hits
    assert (hit.first and f"{hit.first:%H:%M}", hit.last and f"{hit.last:%H:%M}") == (first, last)


async def test_a_stamp_without_a_zone_has_the_bundles(ask: Ask) -> None:
    (hit,) = (await match(ask, {"logs/a.log": "2026-03-01 12:30:00 boom\n"}, "boom", zone="Europe/Berlin")).hits
    assert f"{hit.first:%H:%M}" == "11:30"


async def test_a_long_line_is_cut_and_said_and_a_hit_before_the_cut_counts(ask: Ask) -> None:
    text = "boom " + "x" * 300_000 + "\nboom again\n"
    found = await match(ask, {"logs/a.log": text}, "boom", limits=Limits(max_line_bytes=65_536))
    assert found.hits[0].count == 2 and len(found.hits[0].lines[0].text) == 2000
    assert found.searched.problems == ("logs/a.log: 1 lines were too long and were cut",)


async def test_a_truncated_gzip_gives_its_lines_and_a_problem(ask: Ask) -> None:
    raw = gzip.compress("".join(f"boom {n * n * 7919}\n" for n in range(50_000)).encode())[:-20_000]
    found = await match(ask, {"logs/a.log.gz": raw}, "boom")
    assert found.hits[0].count > 1000 and "broken archive" in found.searched.problems[0]


@pytest.mark.timeout(20)
async def test_many_hits_in_a_text_without_times_take_linear_time(ask: Ask) -> None:
    text = "2026-03-01T11:10:00Z start\n" + "boom without a time\n" * 50_000
    (hit,) = (await match(ask, {"logs/a.log": text}, "boom")).hits
    assert (hit.count, f"{hit.first:%H:%M}", f"{hit.last:%H:%M}") == (50_000, "11:10", "11:10")


async def test_a_pattern_that_explodes_elsewhere_takes_linear_time(ask: Ask) -> None:
    text = ("a" * 20_000 + "!\n") * 50
    assert (await match(ask, {"logs/a.log": text}, r"(a+)+$")).hits == ()


async def test_a_large_plain_file_is_searched_in_place_and_read_from_its_end(ask: Ask) -> None:
    line = f"2026-03-01T11:00:00Z INFO all is well in this place {'.' * 500}\n"
    rare = "2026-03-01T11:00:01Z ERROR \x1b[1mrare\x1b[0m thing\n"
    files = {"logs/big.log": line * 40_000 + rare + line * 30_000}
    found = await ask("logs_search", files, grep="rare")
    assert [(each.line, each.text) for each in found.lines] == [(40_001, "2026-03-01T11:00:01Z ERROR rare thing")]
    common = await ask("logs_search", files, grep="all is well", tail_n=2)
    assert [each.line for each in common.lines] == [70_000, 70_001] and common.searched.matched == 70_000
    tail = await ask("logs_search", files, tail_n=3)
    assert [each.text for each in tail.lines] == [line.strip()] * 3 and tail.searched.truncated
    assert "from its end" in tail.searched.problems[0]


def test_ripgrep_says_when_it_cannot_answer(tmp_path: Path) -> None:
    (tmp_path / "many").write_text("x\n" * 60_000)
    with (tmp_path / "many").open("rb", buffering=0) as file:
        assert ripgrep.search("x", file) is None  # type: ignore[arg-type]
    with (tmp_path / "many").open("rb", buffering=0) as file:
        assert ripgrep.search("(?=x)", file) is None  # type: ignore[arg-type]
    with (tmp_path / "many").open("rb", buffering=0) as file:
        assert ripgrep.search("y", file) == []  # type: ignore[arg-type]


def test_ripgrep_reads_the_file_that_was_opened_from_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("x one\ny\nx two\n")
    with (tmp_path / "log").open("rb", buffering=0) as file:
        file.seek(4)
        (tmp_path / "log").unlink()
        (tmp_path / "log").write_text("x another\n")
        found = ripgrep.search("^x", file)  # type: ignore[arg-type]
    assert [(each.line, each.data) for each in found or ()] == [(1, b"x one\n"), (3, b"x two\n")]


async def test_templates_count_lines_of_one_shape_the_worst_first(ask: Ask) -> None:
    text = minutes(*["INFO served 10.0.0.1 in 5 ms"] * 20, "ERROR lost 10.0.0.2", "ERROR lost 10.0.0.3", "WARN slow")
    found = await ask("logs_templates", {"logs/a.log": text})
    assert [(each.level, each.count) for each in found.templates] == [("error", 2), ("warning", 1), ("info", 20)]
    assert found.templates[0].sample.line == 21
    assert [each.level for each in (await ask("logs_templates", {"logs/a.log": text}, level="error")).templates] == [
        "error"
    ]


async def test_novel_shows_what_is_new_bursts_or_is_gone(ask: Ask) -> None:
    before = minutes(*["INFO heartbeat of the node", "WARN cache is cold", "INFO served a page"] * 18)
    after = "".join(
        f"2026-03-01T11:5{6 + n // 20}:{n % 20 * 2:02}Z {text}\n"
        for n in range(60)
        for text in ("WARN cache is cold", "ERROR cannot reach the database", "INFO served a page")
    )
    found = await ask("logs_novel", {"logs/a.log": before + after}, moment="2026-03-01T12:00:00Z")
    changes = {each.change: each for each in found.templates}
    assert found.templates[0].change == "new" and "cannot reach" in found.templates[0].text
    assert (changes["new"].before, changes["new"].after) == (0, 60)
    assert "cache is cold" in changes["burst"].text or "served" in changes["burst"].text


async def test_a_text_without_times_is_never_new(ask: Ask) -> None:
    assert (
        await ask("logs_novel", {"artifacts/a.txt": "ERROR x\n" * 9}, moment="2026-03-01T12:00:00Z")
    ).templates == ()


async def test_a_text_of_many_lines_is_sampled_and_says_so(ask: Ask) -> None:
    text = "2026-03-01T11:00:00Z INFO fine\n" * 200_000 + "2026-03-01T11:59:00Z ERROR at the end\n"
    found = await ask("logs_templates", {"logs/a.log": text})
    assert found.templates[0].sample.line == 200_001
    assert "of 200001 lines the first" in found.searched.problems[0]


@pytest.mark.parametrize(("start", "end"), [(0, 1), (5, 9), (0, 0), (20, 26), (3, 4000), (3990, 4000)])
def test_a_quote_is_long_enough_short_enough_and_verbatim(start: int, end: int) -> None:
    text = "one two three four a b cde " + "x" * 3980 + " last words"
    found = quote(text, start, end)
    assert found in text and 12 <= len(found) <= 300 and text[start : min(end, start + 8)].strip() in found
    assert quote("short", 1, 2) == "short"


@settings(max_examples=300)
@given(
    st.lists(st.text('ab "\t1', max_size=8), max_size=30),
    st.lists(st.sampled_from(SOME), min_size=1, max_size=4, unique=True),
)
def test_a_chunk_gives_the_lines_that_each_pattern_matches_on_its_own(lines: list[str], texts: list[str]) -> None:
    together = patterns(tuple(texts))
    chunk = Chunk(1, "\n".join(lines).encode())
    found = {(number, at) for number, _, raw in together.lines(chunk) for at in together.matching(raw)}
    alone = {
        (number, at)
        for number, line in enumerate(lines, 1)
        for at, text in enumerate(texts)
        if patterns((text,)).finder.search(line.encode()) is not None
    }
    assert found == alone or (alone - found <= {(len(lines), at) for at in range(len(texts))} and not lines[-1])
