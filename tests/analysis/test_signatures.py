"""Signatures on observed results: what fires, about whom, and where it can be read."""

import time
from datetime import UTC, datetime

import pytest

from analysis.signatures import contradictions, metric_findings, state_findings, text_findings, text_signatures
from domain.codec import to_plain
from domain.evidence import Citation
from domain.facts import Fact
from domain.results import Facts, Line, Searched, SeriesSummaries, SeriesSummary, SignatureHit, SignatureHits
from domain.runbook import Condition, MetricTest, Runbook, Signature, StateTest

AT = datetime(2024, 5, 1, 10, 0, tzinfo=UTC)
SEARCHED = Searched("test")


def runbook(*signatures: Signature, contradicts: tuple[Signature, ...] = (), **other: str) -> Runbook:
    values = {"name": "oom", "description": "d", "fault": "memory.oom_kill", "entity": "container", "summary": "s"}
    return Runbook(**(values | other), signatures=signatures, contradicts=contradicts)  # type: ignore[arg-type]


def text(pattern: str, reason: str = "{entity} was killed", **other: str) -> Signature:
    return Signature("killed", reason, 0.9, text=pattern, **other)  # type: ignore[arg-type]


def hit(
    *lines: str, captures: tuple[dict[str, str], ...] = (), signature: str = "oom/killed", **other: str
) -> SignatureHit:
    kept = tuple(Line(other.get("source", "logs/web.log"), number, line) for number, line in enumerate(lines, 1))
    return SignatureHit(
        id=signature,
        source=other.get("source", "logs/web.log"),
        count=len(lines),
        first=AT,
        last=AT,
        captures=captures,
        lines=kept[:3],
        spans=tuple(line[:300] for line in lines[:3]),
        entity=other.get("entity", ""),
    )


def state(fact: str, *where: Condition, reason: str = "{entity} is so", **other: str) -> Signature:
    return Signature("state", reason, 0.8, state=StateTest(fact, where), **other)  # type: ignore[arg-type]


def facts(*each: Fact) -> Facts:
    return Facts(each, SEARCHED)


def found(*hits: SignatureHit, of: Runbook):
    return text_findings(SignatureHits(hits, SEARCHED), "log.2", [of])


def test_a_text_hit_becomes_a_finding_that_quotes_the_line():
    book = runbook(text(r"killed (?P<entity>\w+)", "{name} was killed at {limit}"))
    (finding,) = found(hit("kernel: killed web by oom", captures=({"entity": "web"},)), of=book)
    assert (finding.entity, finding.kind, finding.signature) == ("container:web", "memory.oom_kill", "oom/killed")
    assert finding.statement == "web was killed at the limit"
    assert finding.citations == (Citation("log.2", "logs/web.log", 1, "kernel: killed web by oom"),)
    assert (finding.onset, finding.weight) == (AT, 0.9)


def test_each_captured_entity_has_a_finding_with_its_own_lines():
    book = runbook(text(r"killed (?P<entity>\w+)"))
    lines = hit("killed web in pod", "killed api in pod", captures=({"entity": "web"}, {"entity": "api"}))
    web, api = found(lines, of=book)
    assert [(f.entity, [c.line for c in f.citations]) for f in (web, api)] == [
        ("container:web", [1]),
        ("container:api", [2]),
    ]


def test_an_entity_whose_line_was_not_kept_is_cited_by_its_path():
    book = runbook(text(r"killed (?P<entity>\w+)"))
    (_, api) = found(hit("killed web in pod", captures=({"entity": "web"}, {"entity": "api"})), of=book)
    assert api.citations == (Citation("log.2", "logs/web.log", path="/hits/0/captures/1/entity", value="api"),)


@pytest.mark.parametrize(("owner", "entity"), [("pod:web-1", "pod:web-1"), ("", "service:web")])
def test_without_a_captured_entity_the_owner_of_the_source_is_meant(owner, entity):
    (finding,) = found(hit("Out of memory here", entity=owner), of=runbook(text("Out of memory")))
    assert finding.entity == entity


def test_a_capture_that_can_be_no_name_falls_back_to_the_owner():
    book = runbook(text(r"killed (?P<entity>.*)"))
    (finding,) = found(hit("killed ,", captures=({"entity": ","},), entity="container:web"), of=book)
    assert finding.entity == "container:web"


def test_a_signature_limited_to_sources_does_not_count_elsewhere():
    book = runbook(text("Out of memory", sources="logs/db*,artifacts/*"))
    assert not found(hit("Out of memory here"), of=book)
    assert found(hit("Out of memory here", source="logs/db-1.log"), of=book)


def test_text_signatures_include_those_that_speak_against():
    book = runbook(text("killed"), contradicts=(Signature("clean", "{name} ended cleanly", 0.5, text="exit 0"),))
    assert text_signatures([book]) == [
        {"id": "oom/killed", "pattern": "killed"},
        {"id": "oom/!clean", "pattern": "exit 0"},
    ]
    (finding,) = found(hit("exit 0 of the web", signature="oom/!clean", entity="container:web"), of=book)
    assert finding.kind == "against.memory.oom_kill"
    (against,) = contradictions([book], "memory.oom_kill", "container:web", [], [finding])
    assert (against.reason, against.signature, against.finding) == ("web ended cleanly", "oom/!clean", finding)


def test_a_fact_from_json_is_cited_by_path_and_value():
    book = runbook(state("container", Condition("oom_killed", equals=True), reason="{name}: limit {memory_limit}"))
    fact = Fact("container", "container:web", {"oom_killed": True, "memory_limit": 512 << 20}, "docker/containers.json")
    result = facts(Fact("load", "host:a", {"load1": 1.0}), fact)
    (finding,) = state_findings(result, "infra.1", [book])
    (citation,) = finding.citations
    assert finding.statement == "web: limit 512 MiB"
    assert (citation.path, citation.value) == ("/facts/1/attributes/oom_killed", True)
    assert to_plain(result)["facts"][1]["attributes"]["oom_killed"] is citation.value


def test_a_fact_from_text_is_cited_by_its_line():
    book = runbook(state("container", Condition("exit_code", equals=137)))
    fact = Fact("container", "container:web", {"exit_code": 137}, "artifacts/ps.txt", line=3, quote="web Exited (137)")
    (finding,) = state_findings(facts(fact), "infra.1", [book])
    assert finding.citations == (Citation("infra.1", "artifacts/ps.txt", 3, "web Exited (137)"),)


def test_a_signature_fires_once_for_an_entity_and_for_eight_entities_at_most():
    book = runbook(state("process", Condition("state", equals="Z"), entity="process"))
    many = [Fact("process", f"process:p{n % 20}", {"state": "Z"}) for n in range(100)]
    assert len(state_findings(facts(*many), "infra.1", [book])) == 8


def test_a_fact_may_be_about_another_kind_when_the_signature_says_so():
    book = runbook(state("container", Condition("state", equals="exited"), entity="database"))
    (finding,) = state_findings(facts(Fact("container", "container:pg", {"state": "exited"})), "infra.1", [book])
    assert finding.entity == "database:pg"


def test_a_metric_that_rose_is_cited_by_its_numbers():
    test = MetricTest("mem.*bytes", change="up", score=6, ratio=2)
    book = runbook(Signature("rise", "{name}: {metric} rose from {before} to {value}", 0.4, metric=test))
    rose = SeriesSummary("web", "MEM_bytes", 9, 1, 2, 9, 8, 2.0, 9.0, 12.0, "up", AT, step_seconds=60)
    flat = SeriesSummary("api", "mem_bytes", 9, 1, 2, 9, 8, 2.0, 3.0, 12.0, "up", AT)
    (finding,) = metric_findings(SeriesSummaries((flat, rose), SEARCHED), "metric.1", [book])
    assert finding.statement == "web: MEM_bytes rose from 2 to 9"
    assert [(c.path, c.value) for c in finding.citations] == [
        ("/series/1/median_after", 9.0),
        ("/series/1/score", 12.0),
    ]
    assert (finding.entity, finding.score, finding.resolution_seconds) == ("container:web", 12.0, 60)


@pytest.mark.parametrize(
    ("when", "oom_killed", "count"), [("seen", False, 1), ("seen", True, 0), ("absent", False, 0), ("absent", True, 1)]
)
def test_a_fact_speaks_against_a_fault_when_seen_or_when_absent(when, oom_killed, count):
    against = state("container", Condition("oom_killed", equals=False), when=when)
    book = runbook(contradicts=(against,))
    seen = [
        Fact("container", "container:web", {"oom_killed": oom_killed}),
        Fact("container", "container:other", {"oom_killed": not oom_killed}),
    ]
    assert len(contradictions([book], "memory.oom_kill", "container:web", seen)) == count
    assert not state_findings(facts(*seen), "infra.1", [book])


def test_nothing_is_absent_where_nothing_was_looked_at():
    book = runbook(contradicts=(state("container", Condition("oom_killed", equals=True), when="absent"),))
    assert not contradictions([book], "memory.oom_kill", "container:web", [])


def test_a_fact_about_an_alias_or_the_host_speaks_too():
    book = runbook(contradicts=(state("memory", Condition("available_percent", above=20.0)),))
    for about in ("host:node", "pod:web"):
        fact = Fact("memory", about, {"available_percent": 60})
        assert contradictions([book], "memory.oom_kill", "container:web", [fact], aliases=["pod:web"])


def test_thousands_of_facts_against_hundreds_of_tests_stay_within_30_ms():
    kinds = ["container", "process", "socket", "filesystem", "event"]
    books = [
        runbook(
            *(state(kind, Condition("state", matches=f"x{n}"), Condition("pid", above=n)) for kind in kinds),
            name=f"b{n}",
        )
        for n in range(40)
    ]
    many = facts(*(Fact(kinds[n % 5], f"process:{n}", {"pid": n, "user": "root"}) for n in range(3000)))
    best = min(_seconds(many, books) for _ in range(5))
    assert best < 0.2, "a wide margin over 30 ms, for a busy machine"


def _seconds(many, books):
    start = time.perf_counter()
    state_findings(many, "infra.1", books)
    return time.perf_counter() - start


def test_a_signature_without_a_capture_is_about_what_runs_under_the_owners_name() -> None:
    books = (runbook(text("gone", entity="queue")),)
    (found,) = text_findings(SignatureHits((hit("offset gone", entity="service:jobs"),), SEARCHED), "log.1", books)
    assert found.entity == "queue:jobs"
    books = (runbook(text("gone", entity="host")),)
    (found,) = text_findings(SignatureHits((hit("offset gone", entity="service:jobs"),), SEARCHED), "log.1", books)
    assert found.entity == "service:jobs", "who writes a log is no host"


def test_the_attribute_name_of_a_fact_is_told_beside_the_entitys_name() -> None:
    signature = state("setting", Condition("value", above=1), reason="{fact_name} of {name} is {value}")
    told = Fact("setting", "database:shop", {"name": "max_connections", "value": 5})
    (found,) = state_findings(facts(told), "infra.1", (runbook(signature),))
    assert found.statement == "max_connections of shop is 5"


def test_a_series_that_names_its_kind_keeps_it() -> None:
    one = SeriesSummary("process:cart", "rss", 9, 1, 2, 9, 9, 1.0, 9.0, 12.0, "up", AT)
    signature = Signature("grew", "{metric} rose", 0.3, metric=MetricTest("rss", change="up", score=4))
    (found,) = metric_findings(SeriesSummaries((one,), SEARCHED), "metric.1", (runbook(signature),))
    assert found.entity == "process:cart"


def test_an_event_of_a_managed_database_is_about_the_instance_that_it_names() -> None:
    line = "2026-01-05T10:00:00Z db-instance stock-1 [notification] Out of memory here"
    (finding,) = found(hit(line, entity="service:rds"), of=runbook(text("Out of memory")))
    assert finding.entity == "database:stock-1"
