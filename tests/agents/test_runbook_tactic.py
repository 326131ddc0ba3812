"""The runbook tactic: what it asks by, and what it makes of the answer."""

from datetime import UTC, datetime
from typing import Any

from agents.offline.runbook import step
from agents.tactic import Observation, ToolCalls
from domain.alert import Alert, Window
from domain.codec import to_plain
from domain.evidence import Citation, Evidence
from domain.plan import Task
from domain.results import Passage, Passages, Searched

AT = datetime(2026, 1, 1, 10, tzinfo=UTC)
ALERT = Alert(
    "alertmanager", "HostOutOfDiskSpace", {"instance": "a"},
    {"summary": "Disk is full", "description": "/data is at 100 %", "runbook_url": "https://x.example/disk-full"},
)  # fmt: skip


def task(*alerts: Alert) -> Task:
    return Task("runbook", "i", "saves fail", alerts, ("disk:/data",), Window(AT, AT), "t", "UTC", (), ())


def passage(how: str, fault: str = "disk.full", name: str = "disk-full") -> Passage:
    return Passage(name, fault, "h", "t", 1.0, how)


def observed(*passages: Passage, problems: tuple[str, ...] = ()) -> Observation:
    found = Passages(passages, bool(passages), Searched("index", problems=problems))
    return Observation("runbook.1", "runbooks_search", {}, "ok", to_plain(found))


def concluded(*observations: Any) -> Evidence:
    evidence = step(task(ALERT), observations, ())
    assert isinstance(evidence, Evidence)
    return evidence


def test_it_asks_once_by_name_link_and_text():
    asked = step(task(ALERT, ALERT), (), ())
    assert isinstance(asked, ToolCalls)
    (call,) = asked.calls
    assert call.tool == "runbooks_search"
    assert call.arguments == {
        "query": "saves fail Disk is full /data is at 100 %",
        "alerts": ["HostOutOfDiskSpace"],
        "url": "https://x.example/disk-full",
    }


def test_an_incident_without_alerts_is_asked_by_its_title():
    asked = step(task(), (), ())
    assert isinstance(asked, ToolCalls) and asked.calls[0].arguments == {"query": "saves fail"}


def test_a_runbook_that_answers_by_name_is_a_weak_finding_cited_by_path():
    evidence = concluded(observed(passage("hybrid", "cpu.throttled", "cpu"), passage("alert_name")))
    (finding,) = evidence.findings
    assert (finding.entity, finding.kind, finding.signature) == ("disk:/data", "disk.full", "disk-full/passage")
    assert finding.statement == "The runbook disk-full answers the alert HostOutOfDiskSpace."
    assert finding.citations == (Citation("runbook.1", "runbooks", path="/passages/1/runbook", value="disk-full"),)
    assert finding.weight <= 0.2
    assert [each.runbook for each in evidence.passages] == ["cpu", "disk-full"]
    assert not evidence.gaps


def test_that_nothing_fits_is_a_gap():
    evidence = concluded(observed())
    assert evidence.conclusion == "No runbook answers the alerts."
    assert [(gap.what, gap.why) for gap in evidence.gaps] == [("runbooks", "no runbook fits the alerts")]


def test_an_empty_index_is_a_gap():
    evidence = concluded(observed(problems=("the index of runbooks is empty",)))
    assert [gap.why for gap in evidence.gaps] == ["the index of runbooks is empty"]


def test_a_search_that_failed_is_a_gap():
    evidence = concluded(Observation("runbook.1", "runbooks_search", {}, "timeout", None, "no answer in 20 s"))
    assert [(gap.what, gap.why) for gap in evidence.gaps] == [("runbooks_search", "no answer in 20 s")]
