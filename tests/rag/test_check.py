"""What `runbooks check` refuses."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from domain.errors import InvalidRunbook
from domain.evidence import Finding
from domain.runbook import Condition, Remedy, Runbook, Signature, StateTest
from rag.check import check
from rag.examples import Example, load_examples
from rag.runbooks import load

SHIPPED = Path(__file__).parents[2] / "runbooks"
BODY = "## Meaning\n\na\n\n## Impact\n\nb\n\n## Diagnosis\n\nc\n\n## Mitigation\n\nd\n"
TEXT = Signature("killed", "{name} lost {pid}", 0.9, text=r"killed (?P<pid>\d+)")
GOOD = Runbook("oom", "d", "memory.oom_kill", "container", "{entity} lost {pid}", signatures=(TEXT,), body=BODY)
EXAMPLES = {"oom": {"killed": Example("Linux 6.1", ("killed 12",), ("killed all",))}}


def said(*runbooks, examples=EXAMPLES, twins=None):
    return [str(each) for each in check(runbooks, examples, twins or {})]


def state(fact, attribute="state"):
    return Signature("s", "{name}", 0.5, state=StateTest(fact, (Condition(attribute, equals="x"),)))


def test_a_good_runbook_has_no_problem():
    assert said(GOOD) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"fault": "mermory.oom"}, "oom: fault: 'mermory.oom' is not family.kind"),
        ({"entity": "server"}, "oom: entity: 'server' is no entity kind"),
        ({"explains": ("disk.full",)}, "oom: explains: no runbook defines 'disk.full'"),
        ({"explains": ("dsik.*",)}, "(unknown family 'dsik')"),
        ({"body": BODY.replace("## Impact", "## Effect")}, "oom: sections: missing: ## Impact"),
        ({"body": BODY.replace("\nb\n", "")}, "oom: sections: ## Impact is empty"),
        ({"body": BODY + "\n## Meaning\n\nx\n"}, "must stand once each"),
        ({"summary": "{entity} at {limit}"}, "oom: summary: {limit} is captured by no signature"),
        ({"now": (Remedy("x", "kill {victim}"),)}, "oom: remediation.now.0: {victim} is captured by no signature"),
        ({"signatures": (TEXT, state("contanier"))}, "signatures.s: unknown kind of fact 'contanier'"),
        ({"signatures": (TEXT, state("container", "colour"))}, "a container fact has no 'colour'"),
        ({"signatures": (TEXT, replace(TEXT, id="bad", text="(", reason="r"))}, "signatures.bad.text: not RE2"),
        ({"signatures": (TEXT, replace(TEXT, id="new", reason="r"))}, "examples.new: needs a line that fires"),
        ({"contradicts": (replace(TEXT, id="new", reason="r"),)}, "examples.new: needs a line that fires"),
        ({"alerts": ("*Oom",)}, "oom: alerts: not RE2"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(change, says):
    assert any(says in each for each in said(replace(GOOD, **change))), said(replace(GOOD, **change))


def test_two_runbooks_for_one_fault_are_refused():
    other = replace(GOOD, name="oom2", signatures=(), summary="s")
    assert said(GOOD, other) == ["oom2: fault: memory.oom_kill is already the fault of oom; join the two"]


@pytest.mark.parametrize("pattern", ["memory.oom_kill", "memory.*", "disk.*", "log.error"])
def test_explains_may_name_a_fault_a_family_or_a_symptom(pattern):
    assert said(replace(GOOD, explains=(pattern,))) == []


def test_an_example_that_does_not_fire_and_a_near_miss_that_does_are_refused():
    examples = {
        "oom": {"killed": Example("x", ("killed none",), ("killed 3",)), "gone": Example("x", (), ())},
        "no": {},
    }
    assert said(GOOD, examples=examples) == [
        "no: examples: there is no such runbook",
        "oom: examples.gone: no text signature has this id",
        "oom: examples.killed.fires: does not fire on: killed none",
        "oom: examples.killed.misses: fires on the near miss: killed 3",
    ]


def test_one_line_cannot_prove_two_faults_unless_one_follows_from_the_other():
    other = replace(GOOD, name="kill", fault="process.killed")
    both = EXAMPLES | {"kill": EXAMPLES["oom"]}
    assert said(GOOD, other, examples=both) == [
        "kill: signatures.killed: its example also proves memory.oom_kill (oom/killed): killed 12",
        "oom: signatures.killed: its example also proves process.killed (kill/killed): killed 12",
    ]
    assert said(replace(GOOD, explains=("process.*",)), other, examples=both) == []
    hint = replace(other, signatures=(replace(TEXT, weight=0.6),))
    assert said(GOOD, hint, examples=both) == []


def test_a_signature_that_fires_on_a_healthy_twin_is_refused():
    fired = Finding("container:web", "memory.oom_kill", "web lost 1", signature="oom/killed")
    against = Finding("container:web", "against.memory.oom_kill", "fine", signature="oom/!clean")
    twins = {"oom-healthy": lambda runbooks: [fired, fired, against]}
    assert said(GOOD, twins=twins) == ["oom: signatures.killed: fires on the healthy twin oom-healthy: web lost 1"]


def test_examples_that_do_not_load_name_file_and_place(tmp_path):
    folder = tmp_path / "memory-oom-kill"
    shutil.copytree(SHIPPED / "memory-oom-kill", folder)
    (folder / "examples.yaml").write_text("cgroup_kill: {fires: [x]}\n")
    with pytest.raises(InvalidRunbook, match=r"examples.yaml: cgroup_kill.program: Field required"):
        load_examples([tmp_path])


def test_the_template_loads_and_lacks_only_its_example(tmp_path):
    folder = tmp_path / "example-queue-full"
    folder.mkdir()
    shutil.copy(SHIPPED / "TEMPLATE.md", folder / "RUNBOOK.md")
    assert said(*load([tmp_path]), examples={}) == [
        "example-queue-full: examples.overflow: needs a line that fires and a near miss that does not"
    ]


def test_the_shipped_runbooks_have_no_problem():
    assert said(*load([SHIPPED]), examples=load_examples([SHIPPED])) == []
