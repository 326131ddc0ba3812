"""Evidence that cannot be read becomes a gap in the report; what can be read is still used."""

import gzip
import json
import random
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from report.markdown import markdown
from tests.acceptance.conftest import Make, Running

DOCUMENTS = (
    "docker/containers.json", "docker/events.jsonl", "docker/stats.jsonl", "host/snapshot.json",
    "network/probes.json", "changes.jsonl", "topology.yaml",
)  # fmt: skip
TABLES = ("metrics/metrics.csv", "traces/spans.csv")
ERRORS = "".join(f"2026-03-01T11:59:{n:02d}Z ERROR payments: ledger went away\n" for n in range(30))
NOISE = random.Random(1).randbytes(4000)
BROKEN: dict[str, bytes] = {
    "cut off": b'{"a": [\n',
    "of another type": b'"words"\n',
    "binary": NOISE,
}
ODD = b'[1, null, [2], {"State": 3, "Name": 4, "time": [], "entity": {}, "edges": [1]}]\n'


def gaps(report: dict[str, Any]) -> str:
    """All gaps in one text."""
    return "\n".join(f"{gap['what']}: {gap['why']}" for gap in report["gaps"])


@pytest.mark.parametrize("how", BROKEN)
def test_every_file_that_is_broken_is_named_and_the_logs_are_still_read(how: str, make: Make, running: Running) -> None:
    files = dict.fromkeys((*DOCUMENTS, *TABLES), BROKEN[how])
    outcome = running.replay(make({**files, "logs/app.log": ERRORS}))
    told = gaps(outcome.document)
    assert [name for name in files if name not in told] == []
    assert "ledger went away" in json.dumps(outcome.document["evidence"])
    assert all(name.partition("/")[2] in markdown(outcome.report) for name in files if "/" in name)


def test_odd_values_inside_break_nothing(make: Make, running: Running) -> None:
    report = running.replay(make({**dict.fromkeys((*DOCUMENTS, *TABLES), ODD), "logs/app.log": ERRORS})).document
    assert "ledger went away" in json.dumps(report["evidence"])
    assert "changes.jsonl:1: no JSON object" in gaps(report) and "inside fishbone" not in gaps(report)


def test_empty_files_are_named(make: Make, running: Running) -> None:
    files = dict.fromkeys(("logs/app.log", "docker/containers.json", "host/snapshot.json", *TABLES), b"")
    told = gaps(running.replay(make({**files})).document)
    assert [name for name in files if name not in told] == []


def test_broken_archives_are_named_with_the_place_and_what_came_before_is_used(make: Make, running: Running) -> None:
    many = "".join(f"2026-03-01T11:59:00Z ERROR payments: ledger {n} went away\n" for n in range(5000))
    files = {
        "logs/none.log.gz": b"\x1f\x8bno gzip",
        "logs/none.log.zst": b"no zstd",
        "metrics/none.csv.gz": b"no gzip",
        "logs/cut.log.gz": gzip.compress(many.encode())[:-40],
    }
    report = running.replay(make({**files})).document
    told = gaps(report)
    assert [name for name in files if f"{name}: byte " not in told] == []
    assert "went away" in json.dumps(report["evidence"])


def test_binary_and_undecodable_text_is_named_or_read_as_far_as_it_is_text(make: Make, running: Running) -> None:
    files: dict[str, bytes | str | None] = {
        "logs/core.log": NOISE,
        "logs/wide.log": ERRORS.replace("payments", "wide").encode("utf-16"),
        "logs/latin.log": ERRORS.replace("payments", "latin").encode() + b"2026-03-01T11:59:59Z \xff\xfe\x80 M\xfcll\n",
        "logs/red.log": ERRORS.replace("payments", "\x1b[31mred\x1b[0m \x1b]8;;http://x.invalid\x07link"),
    }  # fmt: skip
    outcome = running.replay(make(files))
    shown = markdown(outcome.report)
    assert "logs/core.log: is binary, no text" in gaps(outcome.document)
    told = json.dumps(outcome.document["evidence"])
    assert [name for name in ("wide", "latin", "red") if f"{name}" not in told] == []
    assert not set("\x1b\x07\x00") & set(shown + json.dumps(outcome.document, ensure_ascii=False))


def test_an_alert_alone_gives_a_report_that_says_what_is_missing(make: Make, running: Running) -> None:
    report = running.replay(make()).document
    assert report["verdict"] == "undetermined" and report["next_check"] and report["root_cause"] is None
    assert "the incident has no text sources" in gaps(report)
    assert all(row["matched"] in (0, None) for row in report["coverage"] if row["call_id"].startswith("metric"))


def test_an_alert_that_no_receiver_knows_is_read_as_it_stands_and_that_is_said(make: Make, running: Running) -> None:
    report = running.replay(make({"alert.json": '{"title": "orders are slow", "service": "web"}'})).document
    assert "no receiver knows this body" in gaps(report)
    assert report["incident"]["alerts"]


def rows(cells: Iterable[str]) -> str:
    """A series of one sample every 30 s from the start of the window, with these values."""
    begin = datetime(2026, 3, 1, 11, tzinfo=UTC)
    stamps = (begin + timedelta(seconds=30 * n) for n in count())
    told = (f"{at:%Y-%m-%dT%H:%M:%SZ},service:web,cpu,{cell}\n" for at, cell in zip(stamps, cells, strict=False))
    return "timestamp,entity,metric,value\n" + "".join(told)


def test_nan_gaps_and_bad_rows_in_a_series_are_counted_and_the_rest_is_used(make: Make, running: Running) -> None:
    cells = [["NaN", "inf", "", "1e400"][n % 4] if n % 5 == 0 else str(10 + n % 3) for n in range(128)]
    cells[116:] = ["95"] * 12
    table = rows(cells) + "not a time,service:web,cpu,3\n2026-03-01T11:01:00Z,service:web,cpu,abc\n1,2\n"
    report = running.replay(make({"metrics/metrics.csv": table})).document
    told = gaps(report)
    for said in ("NaN or infinite", "no number", "readable timestamp", "another number of cells"):
        assert said in told
    assert "cpu" in json.dumps([each for each in report["evidence"] if each["agent"] == "metric"])
    assert "NaN" not in json.dumps(report["citations"])


def test_a_series_of_nothing_but_nan_is_no_finding(make: Make, running: Running) -> None:
    report = running.replay(make({"metrics/metrics.csv": rows(["NaN"] * 60)})).document
    assert "NaN or infinite (60)" in gaps(report)
    assert all(not each["findings"] for each in report["evidence"] if each["agent"] == "metric")
