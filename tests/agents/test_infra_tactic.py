"""The infra tactic: what it asks, what it makes of the answers."""

from datetime import UTC, datetime
from typing import Any

from agents.offline.infra import step
from agents.tactic import Observation, ToolCalls
from domain.alert import Window
from domain.codec import to_plain
from domain.evidence import Evidence, Finding
from domain.facts import Fact
from domain.plan import Task
from domain.results import Change, Changes, Edge, Facts, Searched, Topology

AT = datetime(2026, 1, 1, 10, tzinfo=UTC)
TASK = Task(
    "infra", "i1", "api answers 502", (), ("service:api",), Window(AT, AT), "2026-01-01T10:00:00Z", "UTC", (), ()
)


def observed(tool: str, result: Any, status: str = "ok") -> Observation:
    return Observation(f"infra.{tool}", tool, {}, status, to_plain(result))


def facts(*found: Fact, problems: tuple[str, ...] = ()) -> Facts:
    return Facts(found, Searched("docker/containers.json", matched=len(found), returned=len(found), problems=problems))


def concluded(*observations: Observation) -> Evidence:
    evidence = step(TASK, observations, ())
    assert isinstance(evidence, Evidence)
    return evidence


def of_kind(evidence: Evidence, kind: str) -> list[Finding]:
    return [finding for finding in evidence.findings if finding.kind == kind]


def test_the_first_step_asks_everything_at_once_with_the_moment_of_the_alert() -> None:
    asked = step(TASK, (), ())
    assert isinstance(asked, ToolCalls)
    assert [call.tool for call in asked.calls] == [
        "containers_inspect",
        "containers_events",
        "containers_stats",
        "host_snapshot",
        "network_probes",
        "changes_before",
        "topology_edges",
    ]
    assert asked.calls[5].arguments == {"moment": "2026-01-01T10:00:00Z", "symptom": "service:api"}


def test_a_killed_container_is_named_with_exit_code_and_limit_and_cited_by_path() -> None:
    dead = Fact(
        "container",
        "container:api",
        {"state": "exited", "exit_code": 137, "oom_killed": True, "memory_limit": 536870912},
        "docker/containers.json",
    )
    (finding,) = of_kind(concluded(observed("containers_inspect", facts(dead))), "state.not_running")
    assert finding.statement == "container:api is exited: exit code 137, OOMKilled true, limit 512 MiB"
    assert ("/facts/0/attributes/exit_code", 137) in [(c.path, c.value) for c in finding.citations]


def test_a_one_off_container_that_ended_well_is_no_finding() -> None:
    done = Fact("container", "container:migrate", {"state": "exited", "exit_code": 0, "oom_killed": False})
    assert concluded(observed("containers_inspect", facts(done))).findings == ()


def test_a_failing_health_check_tells_its_command_and_output() -> None:
    sick = Fact(
        "container",
        "container:web",
        {
            "state": "running",
            "health": "unhealthy",
            "health_output": "curl: not found",
            "health_command": "curl -f localhost",
        },
    )
    (finding,) = of_kind(concluded(observed("containers_inspect", facts(sick))), "state.unhealthy")
    assert "curl: not found" in finding.statement and "curl -f localhost" in finding.statement


def test_a_fact_of_a_capture_is_cited_by_its_raw_line() -> None:
    pod = Fact(
        "pod",
        "pod:a-1",
        {"ready": False, "status": "ImagePullBackOff", "reason": "ImagePullBackOff"},
        "artifacts/pods.txt",
        None,
        3,
        "a-1  0/1  ImagePullBackOff",
    )
    (finding,) = of_kind(concluded(observed("containers_inspect", facts(pod))), "state.not_ready")
    (citation,) = finding.citations
    assert (citation.source, citation.line, citation.quote) == ("artifacts/pods.txt", 3, "a-1  0/1  ImagePullBackOff")


def test_events_of_one_reason_are_one_finding_with_their_count_and_first_time() -> None:
    deaths = [
        Fact(
            "event",
            "container:api",
            {"action": "die", "exit_code": 1, "component": "docker"},
            "e",
            AT.replace(minute=m),
        )
        for m in (3, 1, 2)
    ]
    (finding,) = of_kind(concluded(observed("containers_events", facts(*deaths))), "event.warning")
    assert finding.statement.startswith("container:api: died with exit code 1 x3") and finding.onset == AT.replace(
        minute=1
    )


def test_a_stop_that_was_asked_for_is_no_warning() -> None:
    stopped = Fact("event", "container:api", {"action": "die", "exit_code": 0, "component": "docker"}, "e", AT)
    assert concluded(observed("containers_events", facts(stopped))).findings == ()


def test_a_change_that_cannot_reach_the_symptom_is_no_finding_but_goes_on_to_root_cause() -> None:
    near = Change("d1", AT, "api", "deploy", "api 2.1", commit="abc123", minutes_before=5, reachable=True)
    far = Change("d2", AT, "mail", "deploy", "mail 9", minutes_before=5, reachable=False)
    evidence = concluded(observed("changes_before", Changes((near, far), Searched("changes.jsonl"))))
    assert [finding.entity for finding in of_kind(evidence, "change.near")] == ["change:abc123"]
    assert evidence.changes == (near, far)


def test_edges_facts_and_problems_are_handed_on() -> None:
    runs = Fact("container", "container:api", {"state": "running"}, "docker/containers.json")
    evidence = concluded(
        observed("containers_inspect", facts(runs, problems=("docker/stats.jsonl: line 3 is no JSON",))),
        observed("topology_edges", Topology((Edge("web", "api"),), {}, Searched("topology.yaml"))),
        Observation("infra.9", "host_snapshot", {}, "timeout", None, "no answer within 20 s"),
    )
    assert evidence.facts == (runs,) and evidence.edges == (Edge("web", "api"),)
    assert {(gap.what, gap.why) for gap in evidence.gaps} == {
        ("docker/stats.jsonl", "line 3 is no JSON"),
        ("host_snapshot", "no answer within 20 s"),
    }
    assert "none is stopped" in evidence.conclusion
