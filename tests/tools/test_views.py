"""What a model reads of a result: what changed in full, what did not by name."""

from typing import Any

from agents.cited import proof
from domain.tool import ToolResult, ToolSpec
from tools.views.facts import facts
from tools.views.metrics import series
from tools.views.searched import span

SEARCHED = {"source": "metrics", "matched": 9, "returned": 9}


def one(metric: str, score: float, direction: str) -> dict[str, Any]:
    return {"entity": "web", "metric": metric, "points": 60, "min": 0.0, "mean": 1.23456789, "max": 2.0, "last": 1.0,
            "median_before": 1.0, "median_after": 1.5, "score": score, "direction": direction,
            "onset": "2026-03-01T12:00:01.250000Z" if direction != "flat" else None}  # fmt: skip


def test_series_that_did_not_change_are_named_and_no_more() -> None:
    rows = [
        one("errors", 9.0, "up"),
        *(one(f'cpu{{mode="{n}"}}', 0.1, "flat") for n in range(6)),
        one("up", 2.5, "flat"),
    ]
    told = series({"series": rows, "searched": SEARCHED})
    lines = told.splitlines()
    assert lines[0] == "web errors: 1 -> 1.5 (up, score 9.0) since 2026-03-01T12:00:01Z; min 0 mean 1.235 max 2 last 1"
    assert sum("(flat" in line for line in lines) == 5  # four still ones, and one that nearly moved
    assert "2 more did not change: web cpu" in lines


def test_few_series_are_told_in_full() -> None:
    told = series({"series": [one(f"m{n}", 0.0, "flat") for n in range(4)], "searched": SEARCHED})
    assert "more did not change" not in told and told.count("score 0.0") == 4


def fact(second: int, event: str = "segfault") -> dict[str, Any]:
    return {"entity": "process:api", "kind": "kernel", "at": f"2026-03-01T12:00:{second:02}.5Z",
            "attributes": {"event": event, "message": f"segfault at {second}"}}  # fmt: skip


def test_an_event_that_repeats_is_told_first_and_last_with_how_many() -> None:
    told = facts({"facts": [*(fact(n) for n in range(5)), fact(9, "oom")], "searched": SEARCHED}).splitlines()
    assert told[0].endswith("message=segfault at 0") and told[0].startswith(
        "process:api [kernel] at 2026-03-01T12:00:00Z"
    )
    assert told[1:3] == ["... 3 more like it ...", told[2]] and told[2].endswith("segfault at 4")
    assert "event=oom" in told[3]


def test_zeros_that_say_nothing_are_left_out_and_others_stay() -> None:
    rows = [{"entity": "process:api", "kind": "process", "attributes": {"cpu_percent": 0.0, "pid": 7, "exit_code": 0}}]
    told = facts({"facts": rows, "searched": SEARCHED})
    assert "cpu_percent" not in told and "pid=7" in told and "exit_code=0" in told


def test_settings_share_lines_and_each_can_still_be_cited() -> None:
    rows = [
        {
            "entity": "host:a",
            "kind": "setting",
            "attributes": {"name": f"vm.s{n}", "value": n * 11, "origin": "/proc/sys"},
        }
        for n in range(14)
    ]
    told = facts({"facts": rows, "searched": SEARCHED}).splitlines()
    assert told[0].startswith("host:a [setting] origin=/proc/sys vm.s0=0 vm.s1=11 ") and "vm.s13=143" in told[1]
    result = ToolResult("infra.1", "host_snapshot", {}, "ok", {"facts": rows, "searched": SEARCHED}, sha256="x")
    registry = {"host_snapshot": ToolSpec("host_snapshot", "host", "", {}, view="facts")}
    cited = proof(result, "vm.s7=77 vm.s8", "", None, registry)
    assert {(c.path, c.value) for c in cited} & {
        ("/facts/7/attributes/value", 77),
        ("/facts/7/attributes/name", "vm.s7"),
    }


def test_a_span_of_time_says_the_day_once() -> None:
    assert span("2026-03-01T12:00:01.25Z", "2026-03-01T12:07:09.5Z") == "2026-03-01T12:00:01Z to 12:07:09Z"
    assert span("2026-03-01T23:59:59Z", "2026-03-02T00:00:01Z") == "2026-03-01T23:59:59Z to 2026-03-02T00:00:01Z"
    assert span("2026-03-01T12:00:01.1Z", "2026-03-01T12:00:01.9Z") == "2026-03-01T12:00:01Z"
    assert span(None, None) == "at no known time"
