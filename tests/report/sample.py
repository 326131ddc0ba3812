"""A full report as the graph hands it over, for the tests of this folder."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from domain.alert import Alert, Incident, Window
from domain.codec import digest
from domain.diagnosis import Action, AlertAccount, Diagnosis, Hypothesis, Link, Verdict
from domain.evidence import Citation, Coverage, Evidence, Finding, Gap, Severity
from domain.report import Checks, Report, Run, Series
from domain.tool import ToolResult

FIRED = datetime(2026, 3, 4, 10, 22, tzinfo=UTC)
ONSET = datetime(2026, 3, 4, 10, 16, 5, tzinfo=UTC)
KILLED = "Memory cgroup out of memory: Killed process 4242 (java)"
REFUSED = "connect() failed (111: Connection refused) while connecting to upstream"


def result(call_id: str, tool: str, data: object, source: str = "", matched: int = 1) -> ToolResult:
    """One stored tool result."""
    coverage = Coverage(call_id, source, "ok", "09:22..10:30", "", matched, matched)
    return ToolResult(call_id, tool, {"tail_n": 50}, "ok", data, sha256=digest(data), coverage=coverage)


def log_line(source: str, line: int, text: str) -> dict[str, object]:
    """A `domain.results.Line` as plain JSON."""
    return {"source": source, "line": line, "text": text, "at": None, "level": "error"}


CALLS = (
    result("log.1", "logs_search", {
        "lines": [log_line("logs/edge.log", 17, f"2026/03/04 10:16:07 [error] 7#7: *31 {REFUSED}, client: 10.0.0.9")],
        "searched": {"source": "logs/*", "matched": 1, "returned": 1},
    }, "logs/edge.log"),
    result("infra.1", "containers_inspect", {
        "facts": [{"kind": "container", "entity": "container:orders_api", "source": "docker/containers.json",
                   "attributes": {"oom_killed": True, "exit_code": 137, "memory_limit": 536870912}}],
        "searched": {"source": "docker/containers.json", "matched": 1, "returned": 1},
    }, "docker/containers.json"),
    result("infra.2", "host_snapshot", {
        "facts": [{"kind": "kernel", "entity": "host:node-7", "source": "artifacts/dmesg.txt", "line": 3,
                   "quote": f"[81022.1] {KILLED} total-vm:2100412kB", "attributes": {"event": "oom"}}],
        "searched": {"source": "artifacts/dmesg.txt", "matched": 1, "returned": 1},
    }, "artifacts/dmesg.txt"),
    result("runbook.1", "runbooks_search", {
        "passages": [{"runbook": "memory-oom-kill", "fault": "memory.oom_kill", "text": "Raise the limit"}],
        "fits": True, "searched": {"source": "runbooks", "matched": 1, "returned": 1},
    }, "runbooks"),
)  # fmt: skip

OOM = Citation("infra.2", "artifacts/dmesg.txt", 3, KILLED)
EXIT = Citation("infra.1", "docker/containers.json", path="/facts/0/attributes/exit_code", value=137)
UPSTREAM = Citation("log.1", "logs/edge.log", 17, REFUSED)
BOOK = Citation("runbook.1", "runbooks", path="/passages/0/runbook", value="memory-oom-kill")

FINDINGS = (
    Finding("container:orders_api", "memory.oom_kill", "container:orders_api exited with code 137, limit 512 MiB",
            (EXIT,), ONSET, 1.0, Severity.CRITICAL, 0.9),
    Finding("host:node-7", "memory.oom_kill", "the kernel killed process 4242 (java), out of memory", (OOM,), ONSET,
            1.0, Severity.CRITICAL, 0.9),
    Finding("service:edge", "proxy.upstream_refused", "1 line: connection refused by the upstream", (UPSTREAM,),
            ONSET + timedelta(seconds=2), 1.0, Severity.ERROR, 0.5),
)  # fmt: skip
CAUSE = Hypothesis(
    "container:orders_api", "memory.oom_kill",
    "The kernel killed java in orders_api when it needed more than its limit of 512 MiB.", 7.25,
    findings=FINDINGS[:2],
    chain=(
        Link("container:orders_api", "memory.oom_kill", "The kernel killed process 4242 (java), out of memory",
             (OOM, EXIT)),
        Link("service:edge", "proxy.upstream_refused", "edge gets connection refused from orders_api", (UPSTREAM,)),
    ),
    explains=("Http5xxRatioHigh on edge",), supports=("exit code 137", "a kernel message"), runbook="memory-oom-kill",
)  # fmt: skip
OTHER = Hypothesis(
    "change:9f31c2a", "change.bad_deploy", "The deploy of 09:40 broke orders_api.", 1.5,
    contradicts=("36 minutes without an error lie between",),
)  # fmt: skip
ACTIONS = (
    Action("now", "Raise the memory limit of orders_api", "docker update --memory 1g orders_api", "medium",
           "memory-oom-kill", (BOOK,)),
    Action("now", "See what orders_api needs", "docker stats --no-stream orders_api", "read", "memory-oom-kill",
           (BOOK,)),
    Action("next", "Take a heap dump when it grows again", "docker exec orders_api jcmd 1 GC.heap_info", "read",
           "memory-oom-kill", (BOOK,)),
    Action("prevention", "Alert on 90 % of the limit, before the kernel acts", "", "low", "memory-oom-kill", (BOOK,)),
)  # fmt: skip
ALERT = Alert(
    "alertmanager", "Http5xxRatioHigh", {"service": "edge"}, {"summary": "5xx ratio 38% on edge"}, "critical",
    starts_at=FIRED, fingerprint="d054f9d7c5c9bc5a",
)  # fmt: skip


def full_report() -> Report:
    """A root cause with everything that a report can hold."""
    start = FIRED.timestamp() - 3600
    points = tuple((start + n * 30, 300e6 + 1.8e6 * n if n < 108 else 40e6) for n in range(140))
    return Report(
        Incident("orders-502", "edge returns 502 for /orders", FIRED, Window(FIRED - timedelta(hours=1), FIRED
                 + timedelta(minutes=8)), "UTC", (ALERT,), "Recorded by hand."),
        Diagnosis(Verdict.ROOT_CAUSE, (CAUSE, OTHER), 0.9149, next_check="Whether orders_api stays below 1 GiB.",
                  ruled_out=("disk.full: every file system has more than 40 % free",),
                  alerts=(AlertAccount("d054f9d7c5c9bc5a", "explained", "memory.oom_kill on orders_api"),),
                  why="Kernel log and exit code agree, and the refusals start 2 s later.\nNothing contradicts it."),
        (
            Evidence("infra", "analyst", "orders_api was killed by the kernel.", FINDINGS[:2]),
            Evidence("log", "analyst", "edge cannot reach orders_api since 10:16:07.", FINDINGS[2:]),
            Evidence("runbook", "analyst", "memory-oom-kill fits by its signatures."),
            Evidence("metric", "analyst", "Memory of orders_api grew to its limit."),
        ),
        tuple(call.coverage for call in CALLS if call.coverage),
        (Gap("traces", "the bundle holds none", "logs of edge"),),
        ACTIONS, ("memory-oom-kill",), charts=(Series("container:orders_api", "memory_bytes", points),), calls=CALLS,
        run=Run("inv-1", "2026-03-04T10:31:00Z", 2.31, contract="offline-1", fingerprint="abc123", tool_calls=4,
                checks=Checks()),
    )  # fmt: skip


def with_statement(text: str) -> Report:
    """The full report with this text wherever a stranger's text can come in."""
    report = full_report()
    quoted = Citation("log.9", "logs/odd.log", 1, text[:300])
    finding = Finding(f"service:{text[:60]}", "log.error", text, (quoted,), ONSET)
    cause = replace(
        CAUSE, summary=text, explains=(text,), findings=(finding,), contradicts=(text,),
        chain=(Link(f"service:{text[:60]}", "log.error", text, (quoted,)),),
    )  # fmt: skip
    diagnosis = replace(
        report.diagnosis, hypotheses=(cause, replace(OTHER, contradicts=(text,), summary=text)), why=text,
        next_check=text, ruled_out=(text,), alerts=(AlertAccount(text, "explained", text),),
    )  # fmt: skip
    alert = Alert("generic", text, {"x": text}, {"summary": text}, text, starts_at=FIRED, fingerprint=text)
    action = Action("now", text, f"echo {' '.join(text.split())}", "read", text, (quoted,))
    return replace(
        report, diagnosis=diagnosis, unverified=(text,), gaps=(Gap(text, text, text),), passages=(text,),
        incident=replace(report.incident, title=text, notes=text, alerts=(alert,), gaps=(text,)),
        evidence=(Evidence("log", "analyst", text, (finding,)),), charts=(Series(text, text, ((1.0, 2.0),)),),
        coverage=(Coverage("log.9", text, "ok", text, text, 1, 1),),
        actions=(action, replace(action, when="next", command=f"a\n{text}"), replace(action, when="prevention")),
    )  # fmt: skip
