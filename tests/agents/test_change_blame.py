"""Which change the infra tactic blames, and when it blames none."""

from datetime import UTC, datetime, timedelta
from typing import Any

from agents.offline.infra import step
from agents.tactic import Observation, ToolCalls
from domain.alert import Window
from domain.codec import to_plain
from domain.evidence import Evidence, Finding
from domain.plan import Task
from domain.results import Change, Changes, Line, Lines, Searched, Template, Templates

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
TASK = Task(
    "infra",
    "i1",
    "billing answers 500",
    (),
    ("service:billing",),
    Window(AT, AT),
    "2026-03-01T12:00:00Z",
    "UTC",
    (),
    (),
)
UNGUARDED = "@@ billing/invoice.go @@\n-\tif order.Voucher == nil {\n-\t\treturn 0\n-\t}\n \treturn order.Voucher.Value"
TUNED = "@@ billing/pool.yaml @@\n-db_pool_size: 50\n+db_pool_size: 5"
MOVED = "@@ billing/sum.go @@\n-\tsum := price * count + tax\n+\tsum := total(price, count, tax)"


def commit(id: str, minutes: float, file: str, entity: str = "billing") -> tuple[Change, Change]:
    time = AT - timedelta(minutes=minutes)
    near = {"minutes_before": minutes, "reachable": True}
    return (
        Change(id, time, entity, "commit", f"tidy {file}", files=(file,), diff=f"diffs/{id}.diff", **near),  # type: ignore[arg-type]
        Change(f"r-{id}", time + timedelta(minutes=1), entity, "deploy", "release", commit=id, **near),  # type: ignore[arg-type]
    )


def observed(tool: str, result: Any, **arguments: Any) -> Observation:
    return Observation(f"infra.{tool}.{len(arguments)}", tool, arguments, "ok", to_plain(result))


def listed(*changes: Change) -> Observation:
    return observed("changes_before", Changes(changes, Searched("changes.jsonl")))


def diff(id: str, text: str) -> Observation:
    lines = tuple(Line(f"diffs/{id}.diff", number, line) for number, line in enumerate(text.splitlines(), 1))
    return observed("changes_diff", Lines(lines, Searched("changes.jsonl")), change=id)


def logged(text: str, ago_minutes: float = 1.0, level: str = "error") -> Observation:
    first = AT - timedelta(minutes=ago_minutes)
    sample = Line("logs/billing.log", 9, text, first, level)
    shape = Template("t1", text, "logs/billing.log", 4, level, first, AT, sample, 0, 4, "new")
    return observed("logs_novel", Templates((shape,), Searched("all")))


def concluded(*observations: Observation) -> Evidence:
    evidence = step(TASK, observations, ())
    assert isinstance(evidence, Evidence)
    return evidence


def blamed(*observations: Observation) -> list[Finding]:
    found = [f for f in concluded(*observations).findings if f.kind.startswith("change.") and f.kind != "change.near"]
    return sorted(found, key=lambda finding: -finding.weight)


def test_after_the_list_the_diffs_of_what_runs_are_read_and_what_logs_began_to_say() -> None:
    asked = step(TASK, (listed(*commit("c1", 5, "billing/a.go"), *commit("c2", 9, "docs/a.md")),), ())
    assert isinstance(asked, ToolCalls)
    assert [(call.tool, call.arguments.get("change")) for call in asked.calls] == [
        ("changes_diff", "c1"),
        ("logs_novel", None),
    ]


def test_no_more_than_ten_diffs_are_read() -> None:
    many = [change for n in range(30) for change in commit(f"c{n}", 5 + n, "billing/a.go")]
    asked = step(TASK, (listed(*many),), ())
    assert isinstance(asked, ToolCalls) and len(asked.calls) == 11


def test_nothing_more_is_asked_where_nothing_was_changed() -> None:
    assert concluded(listed()).findings == ()


def test_the_commit_that_takes_a_guard_away_is_blamed_with_its_file_and_its_line() -> None:
    found = blamed(
        listed(*commit("c1", 5, "billing/invoice.go"), *commit("c2", 3, "billing/sum.go")),
        diff("c1", UNGUARDED),
        diff("c2", MOVED),
        logged("panic: nil pointer dereference"),
    )
    assert [(each.entity, each.kind) for each in found] == [("change:c1", "change.commit")]
    (guilty,) = found
    assert guilty.weight > 0.8
    assert "removes nil in billing/invoice.go" in guilty.statement and "billing answers 500" in guilty.statement
    assert (guilty.citations[0].source, guilty.citations[0].line, guilty.citations[0].quote) == (
        "diffs/c1.diff",
        2,
        "-\tif order.Voucher == nil {",
    )


def test_a_lowered_pool_is_a_configuration_change_told_with_both_numbers() -> None:
    (found,) = blamed(listed(*commit("c1", 5, "billing/pool.yaml")), diff("c1", TUNED), logged("no connection is free"))
    assert found.kind == "change.config" and "lowers db_pool_size from 50 to 5" in found.statement
    assert found.captures["did"] == "lowers db_pool_size from 50 to 5" and found.captures["service"] == "billing"


def test_changes_without_a_reason_in_what_they_do_weigh_next_to_nothing() -> None:
    evidence = concluded(listed(*commit("c2", 3, "billing/sum.go")), diff("c2", MOVED), logged("connection refused"))
    near = [finding for finding in evidence.findings if finding.kind.startswith("change.")]
    assert near and {finding.kind for finding in near} == {"change.near"}
    assert max(finding.weight for finding in near) <= 0.2


def test_a_change_that_came_after_the_first_error_is_not_blamed() -> None:
    late = [listed(*commit("c1", 2, "billing/invoice.go")), diff("c1", UNGUARDED)]
    assert blamed(*late, logged("panic: nil", ago_minutes=6)) == []
    assert [each.entity for each in blamed(*late, logged("panic: nil", ago_minutes=0.5))] == ["change:c1"]


def test_a_flag_is_blamed_where_errors_name_it_and_not_for_having_been_switched() -> None:
    time = AT - timedelta(minutes=4)
    flag = Change("fast_invoices", time, "billing", "flag", "off->on", minutes_before=4.0, reachable=True)
    code = commit("c2", 9, "billing/sum.go")
    assert blamed(listed(flag, *code), diff("c2", MOVED), logged("no price for item")) == []
    (found,) = blamed(listed(flag, *code), diff("c2", MOVED), logged("fast_invoices: no price for item"))
    assert (found.entity, found.kind) == ("change:fast_invoices", "change.flag")


def test_a_second_suspect_is_named_with_little_weight() -> None:
    found = blamed(
        listed(*commit("c1", 5, "billing/invoice.go"), *commit("c2", 4, "billing/pool.yaml")),
        diff("c1", UNGUARDED),
        diff("c2", TUNED),
        logged("panic: order.Voucher is nil"),
    )
    assert [each.entity for each in found] == ["change:c1", "change:c2"]
    assert found[1].weight <= 0.3


def test_field_names_of_structured_logs_accuse_no_code_that_logs_them() -> None:
    logs = "@@ billing/log.go @@\n+\temit(request_id, status)"
    line = '{"level": "error", "request_id": "77", "msg": "no connection is free"}'
    assert blamed(listed(*commit("c1", 5, "billing/log.go")), diff("c1", logs), logged(line)) == []


def test_refused_diffs_do_not_keep_the_tactic_from_concluding() -> None:
    refused = Observation("refused.0", "changes_diff", {"change": "c1"}, "denied", error="no calls are left")
    evidence = concluded(listed(*commit("c1", 5, "billing/invoice.go")), refused)
    assert [gap.what for gap in evidence.gaps] == ["changes_diff"]


def test_a_recorded_scale_down_is_read_from_its_words_where_there_is_no_diff() -> None:
    time = AT - timedelta(minutes=7)
    scaled = Change("s1", time, "billing", "scale", "replicas from 6 to 2", minutes_before=7.0, reachable=True)
    (found,) = blamed(listed(scaled))
    assert (found.entity, found.kind) == ("change:s1", "change.config")
    assert "lowers replicas from 6 to 2" in found.statement


def test_what_good_changes_do_as_well_weighs_less_than_what_only_bad_ones_do() -> None:
    zone = "@@ billing/clock.py @@\n-    return datetime.utcnow()\n+    return datetime.now(timezone.utc)"
    said = logged("can't compare offset-naive and offset-aware datetimes: order.Voucher nil pointer")
    changed = listed(*commit("c1", 5, "billing/clock.py"))
    (zoned,) = blamed(changed, diff("c1", zone), said)
    (unguarded,) = blamed(changed, diff("c1", UNGUARDED), said)
    assert 0 < zoned.weight < unguarded.weight
