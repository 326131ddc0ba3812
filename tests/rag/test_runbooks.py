"""Runbook files: what loads, and how a file that does not load names itself."""

import pytest

from domain.errors import InvalidRunbook
from domain.runbook import Condition, MetricTest
from rag.runbooks import conditions, load

FRONT = """---
name: oom
description: The kernel kills a container over its memory limit
fault: memory.oom_kill
entity: container
summary: "{entity} was killed"
alerts: [ContainerOomKilled]
signatures:
  - id: killed
    reason: "{entity} was killed"
    weight: 0.9
    text: 'Killed process (?P<pid>\\d+)'
  - id: flag
    reason: "{entity} OOMKilled"
    weight: 1
    state: {fact: container, where: {oom_killed: true, restart_count: {above: 2, below: 9}}}
  - id: rise
    reason: "memory rose"
    weight: 0.3
    metric: {metric: memory, change: up, score: 6}
explains: [dependency.*]
contradicts:
  - {id: clean, reason: clean, weight: 0.6, when: absent, state: {fact: container, where: {exit_code: {not: 0}}}}
allowed-tools: [containers_inspect]
remediation:
  now: [{text: Raise the limit, command: "docker update {name}", risk: medium}]
checks: [{text: Look, command: docker inspect}]
---
"""
BODY = "## Meaning\n\nm\n\n## Impact\n\ni\n\n## Diagnosis\n\nd\n\n## Mitigation\n\nm\n"


def put(folder, text=FRONT + BODY, name="oom"):
    file = folder / name / "RUNBOOK.md"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_becomes_a_runbook(tmp_path):
    put(tmp_path)
    (book,) = load([tmp_path])
    killed, flag, rise = book.signatures
    assert (book.name, book.fault, book.explains) == ("oom", "memory.oom_kill", ("dependency.*",))
    assert killed.text == r"Killed process (?P<pid>\d+)"
    assert flag.state and flag.state.where == (
        Condition("oom_killed", equals=True),
        Condition("restart_count", above=2.0),
        Condition("restart_count", below=9.0),
    )
    assert rise.metric == MetricTest("memory", change="up", score=6)
    assert book.contradicts[0].when == "absent"
    assert (book.allowed_tools, book.now[0].risk, book.checks[0].risk) == (("containers_inspect",), "medium", "read")
    assert book.body.startswith("## Meaning")


def test_runbooks_of_several_folders_come_by_name(tmp_path):
    for folder, name in (("a", "z"), ("a", "b"), ("c", "m")):
        put(tmp_path / folder, FRONT.replace("name: oom", f"name: {name}") + BODY, name)
    assert [each.name for each in load([tmp_path / "c", tmp_path / "a"])] == ["b", "m", "z"]


@pytest.mark.parametrize(
    ("where", "condition"),
    [
        ({"a": "x"}, Condition("a", equals="x")),
        ({"a": None}, Condition("a", present=False)),
        ({"a": {"matches": "x+"}}, Condition("a", matches="x+")),
        ({"a": {"contains": "a.b"}}, Condition("a", matches=r"a\.b")),
        ({"a": {"in": [1, "x"]}}, Condition("a", one_of=(1, "x"))),
        ({"a": {"present": True}}, Condition("a", present=True)),
        ({"a": {"not": "x"}}, Condition("a", equals="x", negate=True)),
        ({"a": {"not": [1, 2]}}, Condition("a", one_of=(1, 2), negate=True)),
        ({"a": {"not": {"matches": "x"}}}, Condition("a", matches="x", negate=True)),
    ],
)
def test_a_condition_has_one_form_for_each_test(where, condition):
    assert conditions(where) == (condition,)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("---\nname", "name", ":1: a runbook starts with front matter"),
        ("\n---\n", "\n", "no closing ---"),
        ("entity: container", "entity: container\nentity: pod", ":6: not readable as YAML: key 'entity' stands twice"),
        ("fault: memory", "fault: [memory", "RUNBOOK.md:5: not readable as YAML"),
        ("summary:", "sumary:", "summary: Field required"),
        ("weight: 0.9", "weight: 9", "signatures.0.weight"),
        ("weight: 0.9", "weight: 0.9\n    metric: {metric: x, above: 1}", "exactly one of text, state, metric"),
        ("id: flag", "id: killed", "signature id used twice: killed"),
        (r"(?P<pid>\\d+)", "(?=x)", "signatures.0: not RE2"),
        ("{above: 2, below: 9}", "[1, 2]", "signatures.1.state.where: restart_count: write {in: [...]}"),
        ("{above: 2, below: 9}", "{over: 2}", "restart_count: over: 2 is no test"),
        ("{not: 0}", "2024-01-01", "put quotes around dates"),
        ("change: up, ", "", "a metric test needs one of"),
        ("name: oom", "name: other", "must be the name of its folder, 'oom'"),
        (
            "when: absent, state: {fact: container, where: {exit_code: {not: 0}}}",
            "when: absent, text: x",
            "needs a state",
        ),
    ],
)
def test_a_file_that_does_not_load_names_itself_and_the_place(tmp_path, old, new, says):
    text = FRONT.replace(old.replace("\\\\", "\\"), new, 1)
    assert text != FRONT
    file = put(tmp_path, text + BODY)
    with pytest.raises(InvalidRunbook) as failed:
        load([tmp_path])
    assert str(failed.value).startswith(str(file)) and says in str(failed.value)


def test_a_file_that_is_not_utf_8_names_itself(tmp_path):
    put(tmp_path).write_bytes(b"---\nname: \xff\n---\n")
    with pytest.raises(InvalidRunbook, match="cannot be read"):
        load([tmp_path])


def test_a_name_in_two_folders_is_refused(tmp_path):
    put(tmp_path / "a")
    put(tmp_path / "b")
    with pytest.raises(InvalidRunbook, match="is also the name of"):
        load([tmp_path / "a", tmp_path / "b"])


def test_a_folder_that_is_missing_is_said(tmp_path):
    with pytest.raises(InvalidRunbook, match="no such folder"):
        load([tmp_path / "none"])
