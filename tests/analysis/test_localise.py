"""Which entity is at fault: the ranking over metrics, traces and the call graph."""

from dataclasses import replace

from analysis.measured.fusion import fuse
from analysis.measured.localise import rank
from domain.alert import Alert
from domain.evidence import Finding, Severity
from domain.results import Edge, SeriesSummary, TraceEdge

SLOW = [Alert("test", "LatencyHigh", {"service": "web"})]
DEGRADED = [Alert("test", "RequestsDegraded", {"service": "web"})]
EDGES = [Edge("web", "api"), Edge("api", "db"), Edge("web", "cdn_remote")]


def series(entity: str, metric: str, kind: str, before: float, after: float, score: float) -> SeriesSummary:
    return SeriesSummary(
        entity, metric, 60, before, before, max(before, after), after, before, after, score,
        "up" if score > 0 else "down", kind=kind,
    )  # fmt: skip


def latency(entity: str, score: float, before: float = 0.1, after: float = 0.5) -> SeriesSummary:
    return series(entity, "latency_avg", "latency", before, after, score)


def called(callee: str, what: str, score: float, caller: str = "web") -> TraceEdge:
    return TraceEdge(caller, callee, "GET /", 50, 20, 10, 10, 12, 12, 5, 5, 2, 200, 0, 0, score, what)


def names(*args: object) -> list[str]:
    return [suspect.entity for suspect in rank(*args)]  # type: ignore[arg-type]


def test_the_last_that_suffers_on_the_way_down_stands_before_the_louder_ones_above_it() -> None:
    suffering = [latency("web", 900), latency("api", 700), latency("db", 40)]
    assert names(SLOW, ["service:web"], suffering, EDGES, [])[0] == "db"


def test_an_own_resource_that_jumped_is_direct_evidence_and_is_not_walked_on_from() -> None:
    cpu = series("api", "cpu_pct", "cpu", 2.0, 95.0, 300)
    found = rank(
        DEGRADED, ["service:web"], [latency("web", 900), latency("api", 700), latency("db", 30), cpu], EDGES, []
    )
    assert (found[0].entity, found[0].fault) == ("api", "cpu.saturation")


def test_a_processor_that_went_from_almost_idle_to_almost_idle_is_no_clue() -> None:
    assert names(DEGRADED, ["service:web"], [series("api", "cpu_pct", "cpu", 0.1, 2.0, 300)], EDGES, []) == []


def test_a_change_to_the_better_is_no_clue() -> None:
    assert names(SLOW, ["service:web"], [latency("api", -500, 0.5, 0.1)], EDGES, []) == []


def test_a_remote_end_stands_last_however_loud() -> None:
    suffering = [latency("web", 50), latency("cdn_remote", 900), latency("api", 20)]
    assert names(SLOW, ["service:web"], suffering, EDGES, [])[-1] == "cdn_remote"


def test_an_alert_about_latency_does_not_look_for_errors() -> None:
    errors = series("db", "errors_per_s", "error", 0.0, 9.0, 20)
    assert names(SLOW, ["service:web"], [errors, latency("api", 30)], EDGES, []) == ["api"]


def test_a_delay_before_a_callee_is_its_network_and_one_before_several_is_the_callers() -> None:
    one = rank(DEGRADED, ["service:web"], [], [], [called("api", "network_delay", 90), called("auth", "ok", 0)])
    both = [called("api", "network_delay", 90), called("auth", "network_delay", 80)]
    assert (one[0].entity, one[0].fault) == ("api", "network.delay")
    assert names(DEGRADED, ["service:web"], [], [], both) == ["web"]


def test_a_slow_percentile_is_doubted_where_traces_saw_the_calls_as_fast_as_ever() -> None:
    suffering = [latency("api", 300), latency("auth", 100)]
    assert names(DEGRADED, ["service:web"], suffering, EDGES, [called("api", "ok", 0)])[0] == "auth"


def test_a_delay_that_the_callees_own_end_measured_too_is_no_network() -> None:
    delayed = called("api", "network_delay", 90)  # 2 ms before, 200 ms after
    served = series("web->api", "callee_latency_p50_ms", "latency", 4, 190, 150)
    full = replace(series("api", "cpu_usage_pct", "cpu", 70, 99, 2.3), mean=71.0)
    assert (
        rank(DEGRADED, ["service:web"], [replace(served, median_after=40.0)], [], [delayed])[0].fault == "network.delay"
    )
    assert rank(DEGRADED, ["service:web"], [served], [], [delayed])[0].fault == "trace.slow"
    (first, *_) = rank(DEGRADED, ["service:web"], [served, full], [], [delayed])
    assert (first.entity, first.fault) == ("api", "cpu.saturation")


def test_what_became_slow_while_its_processor_rose_to_its_limit_is_busy() -> None:
    """A service that is busy anyway has few sigmas left to its limit."""
    slow = [latency("web", 900), latency("api", 40)]
    busy = series("api", "cpu_usage_pct", "cpu", 62.0, 86.0, 2.4)
    first = rank(SLOW, ["service:web"], [*slow, busy], EDGES, [])[0]
    assert (first.entity, first.fault) == ("api", "cpu.saturation")
    room = replace(busy, median_after=70.0, max=70.0)
    assert rank(SLOW, ["service:web"], [*slow, room], EDGES, [])[0].fault == "trace.slow"
    as_ever = replace(busy, score=0.4)
    assert rank(SLOW, ["service:web"], [*slow, as_ever], EDGES, [])[0].fault == "trace.slow"


def test_what_only_its_callers_found_slow_did_not_take_longer_inside() -> None:
    seen = [series("api", "client_latency_p90", "latency", 0.02, 11, 300), latency("auth", 100)]
    inside = series("api", "server_latency_p90", "latency", 0.3, 0.2, -0.1)
    assert names(DEGRADED, ["service:web"], seen, EDGES, [])[0] == "api"
    assert names(DEGRADED, ["service:web"], [*seen, inside], EDGES, [])[0] == "auth"


def test_an_operation_that_no_longer_logs_what_it_always_did_outranks_a_latency() -> None:
    lost = replace(called("pay", "lost_event", 4.0, caller="pay"), event="Pay.java:9 paid", errors_before=50)
    (first, *_) = rank(DEGRADED, ["service:web"], [latency("auth", 100)], EDGES, [lost])
    assert (first.entity, first.fault) == ("pay", "application.exception")
    assert 'logged "Pay.java:9 paid" in 0 of 20 runs, in 50 of 50 before' in first.why


def test_a_service_that_is_called_but_calls_no_more_is_at_fault() -> None:
    flows = [series("api", "rps", "traffic", 5, 5, 0.1), series("db", "rps", "traffic", 5, 0, -6)]
    found = rank(DEGRADED, ["service:web"], flows, EDGES, [])
    assert (found[0].entity, found[0].fault) == ("api", "application.exception")


def test_a_call_series_that_is_slow_for_the_caller_alone_is_the_network() -> None:
    pair = [
        series("web->api", "caller_latency_p50_s", "latency", 0.01, 0.5, 80),
        series("web->api", "callee_latency_p50_s", "latency", 0.01, 0.01, 0),
    ]
    assert rank(DEGRADED, ["service:web"], pair, [], [])[0].fault == "network.delay"
    slow_itself = [pair[0], replace(pair[1], median_after=0.48, score=70)]
    assert rank(DEGRADED, ["service:web"], slow_itself, [], []) == []


def test_nothing_that_changed_gives_no_suspects() -> None:
    assert rank(DEGRADED, ["service:web"], [latency("api", 1.0)], EDGES, []) == []


def test_new_errors_of_the_last_in_the_call_graph_outrank_those_of_its_callers() -> None:
    new = [Finding(f"service:{name}", "log.new", "says", severity=Severity.ERROR) for name in ("web", "api", "lonely")]
    noise = Finding("service:auth", "trace.slow", "auth: rose", captures={"strength": "2.1"})
    assert [name for name, _ in fuse([*new, noise], EDGES)] == ["api", "lonely", "auth", "web"]


def test_a_series_that_names_nobody_gives_no_suspect() -> None:
    assert names(SLOW, ["service:web"], [latency("", 300), latency(", x", 300), latency("api", 50)], EDGES, []) == [
        "api"
    ]


def test_a_new_complaint_about_another_does_not_accuse_who_complains() -> None:
    own = Finding("service:api", "log.new", "api.log says: NullPointerException", severity=Severity.ERROR)
    other = Finding(
        "service:web", "log.new", "web.log says: connect() failed (111: Connection refused)", severity=Severity.ERROR
    )
    assert [name for name, _ in fuse([own, other], [])] == ["api"]
