"""Broken evidence is named with file and line, and what is whole beside it is still read."""

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


def test_broken_yaml_is_named_with_its_line(make: Make) -> None:
    with pytest.raises(BadBundle, match=r"topology\.yaml:3: broken YAML"):
        open_bundle(make({"topology.yaml": "edges:\n  - {from: [\n"})).read_yaml("topology.yaml")


def test_a_file_that_is_not_there_is_said(make: Make) -> None:
    with pytest.raises(BadBundle, match=r"topology\.yaml: the bundle has no such file"):
        open_bundle(make()).read_yaml("topology.yaml")
