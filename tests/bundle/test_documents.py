"""Broken evidence is named with file and line, and what is whole beside it is still read."""

import gzip

import pytest

from bundle.bundle import open_bundle
from domain.errors import BadBundle
from tests.bundle.conftest import Make


def test_json_is_read_with_nan_as_nothing_and_halves_of_surrogates_mended(make: Make) -> None:
    root = make({"host/snapshot.json": '{"a": [NaN, Infinity, 1], "b": "\\ud800x"}'})
    assert open_bundle(root).read_json("host/snapshot.json") == {"a": [None, None, 1], "b": "?x"}


@pytest.mark.parametrize("text", ["", "  ", "{", '{"a": 1} extra', "\x00" * 40, "[" * 50_000, "1" * 5000])
def test_broken_json_is_named(make: Make, text: str) -> None:
    with pytest.raises(BadBundle, match=r"^host/snapshot\.json:"):
        open_bundle(make({"host/snapshot.json": text})).read_json("host/snapshot.json")


def test_broken_lines_of_json_lines_are_noted_and_the_others_read(make: Make) -> None:
    bundle = open_bundle(make({"changes.jsonl": '{"n": 1}\n\n{"n": \n{"n": 3}\n'}))
    problems: list[str] = []
    assert list(bundle.read_jsonl("changes.jsonl", problems)) == [{"n": 1}, {"n": 3}]
    assert len(problems) == 1 and problems[0].startswith("changes.jsonl:3: broken JSON")
    with pytest.raises(BadBundle, match=r"changes\.jsonl:3: broken JSON.*mend that line"):
        list(bundle.read_jsonl("changes.jsonl"))


def test_thousands_of_broken_lines_are_summed_up(make: Make) -> None:
    problems: list[str] = []
    assert list(open_bundle(make({"c.jsonl": "{\n" * 5000})).read_jsonl("c.jsonl", problems)) == []
    assert len(problems) == 21 and problems[-1] == "c.jsonl: 4980 more broken lines"


def test_a_csv_gives_its_rows_and_names_those_that_do_not_fit(make: Make) -> None:
    text = 'time,entity,value\n1,"a,b",3\n2,x\n4,"two\nlines",5\n'
    bundle = open_bundle(make({"metrics/m.csv.gz": gzip.compress(text.encode())}))
    problems: list[str] = []
    rows = list(bundle.read_csv("metrics/m.csv.gz", problems))
    assert [row["entity"] for row in rows] == ["a,b", "two\nlines"]
    assert problems == ["metrics/m.csv.gz:3: 2 cells where the header has 3"]


def test_a_csv_in_utf16_is_read(make: Make) -> None:
    bundle = open_bundle(make({"metrics/m.csv": "time,value\r\n1,2\r\n".encode("utf-16")}))
    assert list(bundle.read_csv("metrics/m.csv")) == [{"time": "1", "value": "2"}]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "empty"),
        (b"\x00\x01\x02" * 300, "is binary"),
        (b'a,b\n1,"' + b"x" * 200_000 + b"\n", "broken CSV"),
    ],
)
def test_a_broken_csv_is_named(make: Make, data: bytes, said: str) -> None:
    with pytest.raises(BadBundle, match=rf"metrics/m\.csv.*{said}"):
        list(open_bundle(make({"metrics/m.csv": data})).read_csv("metrics/m.csv"))


def test_broken_yaml_is_named_with_its_line(make: Make) -> None:
    with pytest.raises(BadBundle, match=r"topology\.yaml:3: broken YAML"):
        open_bundle(make({"topology.yaml": "edges:\n  - {from: [\n"})).read_yaml("topology.yaml")


def test_a_file_that_is_not_there_is_said(make: Make) -> None:
    with pytest.raises(BadBundle, match=r"topology\.yaml: the bundle has no such file"):
        open_bundle(make()).read_yaml("topology.yaml")
