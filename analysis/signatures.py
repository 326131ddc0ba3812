"""Which runbooks' signatures fire on what was observed: findings with citations, and what speaks against a fault."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from analysis.captures.cloud import database_of
from analysis.patterns import compiled
from analysis.rules import AGAINST, Rule, Shot, about, fact_captures, finding, rules
from analysis.state import StateIndex, predicate
from analysis.wording import fill
from domain.entity import entity, is_entity, kind_of, name_of
from domain.evidence import Citation, Finding
from domain.facts import Fact
from domain.results import Facts, SeriesSummaries, SeriesSummary, SignatureHit, SignatureHits
from domain.runbook import MetricTest, Runbook

HOST_METRICS: Final = ("node_", "host_", "system_", "windows_")
MOST_ENTITIES: Final = 8  # findings of one signature in one result; more of them say nothing new
UNNAMED_HOST: Final = "host:localhost"  # how captures call a machine whose name they do not tell
SHARED: Final = ("host", "disk")  # kinds whose facts concern every entity that runs there


@dataclass(frozen=True)
class Contradiction:
    """Something that would look otherwise if the fault were there."""

    reason: str
    weight: float
    signature: str  # `<runbook>/!<id>`
    fact: Fact | None = None  # what it rests on, for a state signature
    finding: Finding | None = None  # what it rests on, for a text or metric signature


def text_signatures(knowledge: Iterable[Runbook]) -> list[dict[str, str]]:
    """What one call of `logs_match` is to look for: id, pattern and, where a signature names them, sources."""
    found = []
    for rule in rules(knowledge, "text"):
        wanted = {"id": rule.id, "pattern": rule.signature.text or ""}
        found.append(wanted | ({"sources": rule.signature.sources} if rule.signature.sources else {}))
    return found


def text_findings(hits: SignatureHits, call_id: str, knowledge: Sequence[Runbook]) -> list[Finding]:
    """One finding for each signature, source and captured entity."""
    known = {rule.id: rule for rule in rules(knowledge, "text")}
    found: list[Finding] = []
    for at, hit in enumerate(hits.hits):
        rule = known.get(hit.id)
        if rule is not None and rule.covers(hit.source):
            found.extend(finding(rule, shot) for shot in _shots(rule, hit, at, call_id))
    return found


def state_findings(facts: Facts, call_id: str, knowledge: Sequence[Runbook]) -> list[Finding]:
    """One finding for each signature and entity whose fact satisfies its test."""
    tests = StateIndex((rule, rule.signature.state) for rule in rules(knowledge, "state") if not rule.against)
    found: dict[str, dict[str, Finding]] = defaultdict(dict)
    for at, fact in enumerate(facts.facts):
        # What speaks against a fault by state is judged on all facts together: see `contradictions`.
        for rule in tests.satisfied_by(fact):
            if len(found[rule.id]) < MOST_ENTITIES:
                of = about(rule, name_of(fact.entity) if rule.signature.entity else "", fact.entity)
                cited = _fact_citations(rule, fact, at, call_id)
                shot = Shot(of, fact_captures(fact), cited, onset=fact.at)
                found[rule.id].setdefault(of, finding(rule, shot))
    return [each for of_rule in found.values() for each in of_rule.values()]


def metric_findings(series: SeriesSummaries, call_id: str, knowledge: Sequence[Runbook]) -> list[Finding]:
    """One finding for each signature and series whose change satisfies its test."""
    found: list[Finding] = []
    for rule in rules(knowledge, "metric"):
        test = rule.signature.metric
        assert test is not None
        named = compiled(test.metric, ignore_case=True)
        fired = [
            (at, each)
            for at, each in enumerate(series.series)
            if named.search(each.metric) and metric_fires(each, test)
        ]
        found.extend(finding(rule, _of_series(rule, each, at, call_id)) for at, each in fired[:MOST_ENTITIES])
    return found


def contradictions(
    knowledge: Iterable[Runbook],
    fault: str,
    entity: str,
    facts: Iterable[Fact],
    findings: Iterable[Finding] = (),
    aliases: Collection[str] = (),
) -> list[Contradiction]:
    """What was observed that speaks against this fault of this entity; `aliases` are the entity's other names."""
    names = {entity, *aliases}
    facts = [fact for fact in facts if fact.entity in names or _is_shared(fact, entity)]
    seen = [each for each in findings if each.kind == AGAINST + fault and _concerns(each, names)]
    found: list[Contradiction] = []
    for runbook in knowledge:
        if runbook.fault == fault:
            for signature in runbook.contradicts:
                found.extend(_contradicted(Rule(runbook, signature, against=True), entity, facts, seen))
    return found


def _is_shared(fact: Fact, of: str) -> bool:
    """Whether the fact is of what everything runs on; what one machine is says nothing against another one."""
    kind = kind_of(fact.entity)
    return kind in SHARED and not (kind == kind_of(of) == "host" and fact.entity != UNNAMED_HOST)


def metric_fires(series: SeriesSummary, test: MetricTest) -> bool:
    """Whether the series satisfies the test, its name aside."""
    value = _after(series)
    before = series.median_before
    return (
        (not test.change or (series.direction == test.change and abs(series.score) >= test.score))
        and (test.above is None or value > test.above)
        and (test.below is None or value < test.below)
        and (test.ratio is None or (before is not None and before > 0 and value / before >= test.ratio))
    )


def _shots(rule: Rule, hit: SignatureHit, at: int, call_id: str) -> Iterator[Shot]:
    """Lines are matched again, so that each captured entity is cited by lines of its own."""
    owner = _managed(hit) or hit.entity or f"service:{_stem(hit.source)}"
    captured: dict[str, dict[str, str]] = {}
    places: dict[str, int] = {}
    for place, captures in enumerate(hit.captures or ({},)):
        of = about(rule, captures.get("entity", ""), owner)
        first = {key: value for key, value in captured.get(of, {}).items() if value}
        captured[of] = {key: value for key, value in captures.items() if key != "entity"} | first
        places.setdefault(of, place)
    for of, captures in captured.items():
        cited = _line_citations(rule, hit, of, owner, call_id)
        if not cited:
            path, value = _capture_path(hit, at, places[of])
            cited = (Citation(call_id, hit.source, path=path, value=value),)
        extra = {"count": str(hit.count), "source": hit.source}
        yield Shot(of, extra | captures, cited, onset=hit.first)


def _managed(hit: SignatureHit) -> str:
    """The managed database that an event is about; events of many lie in one log, which is named after the service."""
    return next((database for line in hit.lines if (database := database_of(line.text))), "")


def _capture_path(hit: SignatureHit, at: int, place: int) -> tuple[str, str | int]:
    """Where a capture stands that none of the kept lines shows."""
    if hit.captures and "entity" in hit.captures[place]:
        return f"/hits/{at}/captures/{place}/entity", hit.captures[place]["entity"]
    return f"/hits/{at}/count", hit.count


def _line_citations(rule: Rule, hit: SignatureHit, of: str, owner: str, call_id: str) -> tuple[Citation, ...]:
    search = compiled(rule.signature.text or "").search
    cited = []
    for line, span in zip(hit.lines, hit.spans, strict=False):
        match = search(line.text)
        captured = match.groupdict().get("entity") if match else None
        # A kept line may be cut before the capture; it then still belongs to the only entity there is.
        if about(rule, captured or "", owner) == of or (len(hit.captures) <= 1 and not captured):
            cited.append(Citation(call_id, line.source, line.line, span))
    return tuple(cited)


def _fact_citations(rule: Rule, fact: Fact, at: int, call_id: str) -> tuple[Citation, ...]:
    """The raw line where there is one; otherwise the attributes that were tested, by path."""
    if fact.quote and fact.line is not None:
        return (Citation(call_id, fact.source, fact.line, fact.quote),)
    test = rule.signature.state
    assert test is not None
    tested = dict.fromkeys(each.attribute for each in test.where if each.attribute in fact.attributes)
    cited = tuple(
        Citation(call_id, fact.source, path=f"/facts/{at}/attributes/{name}", value=fact.attributes[name])
        for name in tested
    )
    return cited or (Citation(call_id, fact.source, path=f"/facts/{at}/entity", value=fact.entity),)


def _of_series(rule: Rule, series: SeriesSummary, at: int, call_id: str) -> Shot:
    values = {"value": _after(series), "before": series.median_before, "score": series.score}
    captures = {name: f"{value:.4g}" for name, value in values.items() if value is not None}
    cited = "last" if series.median_after is None else "median_after"
    return Shot(
        _of_entity(rule, series.entity, series.metric),
        captures | {"metric": series.metric},
        (
            Citation(call_id, series.source, path=f"/series/{at}/{cited}", value=_after(series)),
            Citation(call_id, series.source, path=f"/series/{at}/score", value=series.score),
        ),
        onset=series.onset,
        resolution=series.step_seconds,
        score=abs(series.score),
    )


def _of_entity(rule: Rule, of: str, metric: str) -> str:
    """A series that names its kind keeps it, unless the signature is about another one of the name.

    A bare name is a host's only where the metric is one of hosts: a service's processor time is the service's.
    """
    if is_entity(of):
        return about(rule, name_of(of), of) if rule.signature.entity else of
    if not rule.signature.entity and rule.runbook.entity == "host" and not metric.startswith(HOST_METRICS):
        return entity("service", of)
    return about(rule, of, "service:unknown")


def _contradicted(rule: Rule, entity: str, facts: list[Fact], findings: list[Finding]) -> Iterator[Contradiction]:
    signature = rule.signature
    if signature.state is None:
        fired = next((each for each in findings if each.signature == rule.id), None)
        if fired:
            yield Contradiction(fired.statement, signature.weight, rule.id, finding=fired)
        return
    of_kind = [fact for fact in facts if fact.kind == signature.state.fact]
    satisfying = next((fact for fact in of_kind if predicate(fact, signature.state)), None)
    # `seen`: a fact shows it. `absent`: facts of the kind are there, and none shows it.
    rests_on = satisfying if signature.when == "seen" else next(iter(of_kind), None)
    if rests_on and (signature.when == "seen" or not satisfying):
        reason = fill(signature.reason, entity, fact_captures(rests_on))
        yield Contradiction(reason, signature.weight, rule.id, fact=rests_on)


def _concerns(of: Finding, names: Collection[str]) -> bool:
    """Whether the finding is about the entity, whatever kind its source gives it."""
    return of.entity in names or name_of(of.entity) in {name_of(each) for each in names}


def _after(series: SeriesSummary) -> float:
    return series.last if series.median_after is None else series.median_after


def _stem(source: str) -> str:
    return PurePosixPath(source).name.partition(".")[0] or "unknown"
