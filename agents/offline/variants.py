"""Findings about a new release that is worse than the old one beside it, by series and by logs."""

from collections.abc import Iterator, Sequence
from typing import Final

from agents.offline.log_findings import message
from analysis.measured.clues import number
from analysis.measured.variants import ENOUGH, Beside, beside, is_newer, variant_of
from analysis.text import clip
from domain.entity import entity as named
from domain.entity import is_entity
from domain.evidence import Citation, Finding, Severity
from domain.results import SeriesSummaries, Template, Templates, TextSource

FAULT: Final = "change.canary"
SIGNATURE: Final = "change-canary/beside"
WEIGHT: Final = 0.85
LOG_WEIGHT: Final = 0.8
RARER: Final = 10.0  # times as often in the new: lines of one kind come and go
_SEVERE: Final = ("error", "fatal", "critical", "warning", "warn")
MOST: Final = 3


def of_series(found: SeriesSummaries, call_id: str) -> list[Finding]:
    """One finding for each of the first few numbers that tell the new from the old; traffic alone tells nothing."""
    told = [each for each in beside(found.series) if is_entity(f"service:{each.service}")]
    if not any(each.kind in ("error", "latency") for each in told):
        told = [each for each in told if each.kind in ("saturation", "memory", "cpu")]
    return [_of_series(each, found, call_id) for each in told[:MOST]]


def _of_series(each: Beside, found: SeriesSummaries, call_id: str) -> Finding:
    what = f"{each.metric} {number(each.of_new)} against {number(each.of_old)}"
    one = found.series[each.at_new]
    cited = tuple(
        Citation(call_id, found.series[at].source, path=f"/series/{at}/last", value=found.series[at].last)
        for at in (each.at_new, each.at_old)
    )
    return _finding(each.service, each.new, each.old, what, cited, WEIGHT, one.onset)


def of_logs(shapes: Sequence[tuple[str, Templates]], sources: Sequence[TextSource]) -> list[Finding]:
    """One finding for each kind of complaint that the new release alone has."""
    found: dict[tuple[str, str], Finding] = {}
    for call_id, templates in shapes:
        for each in templates.templates:
            if each.level in _SEVERE and each.change != "gone":
                for finding in (*_within(each, call_id), *_of_files(each, templates.templates, sources, call_id)):
                    found.setdefault((finding.entity, each.text), finding)
    return list(found.values())[:MOST]


def _within(each: Template, call_id: str) -> Iterator[Finding]:
    """Lines of one log that say which release wrote them."""
    ill = [(name, hits, lines) for name, hits, lines in each.variants if hits >= ENOUGH]
    for new, hits, lines in ill[:1]:
        others = [one for one in each.variants if one[0] != new and one[2] >= ENOUGH]
        known = len(others) == 1 and is_newer(new, others[0][0])  # of two hashes the ill one may be the old
        if len(ill) == 1 and known and hits / lines >= RARER * others[0][1] / others[0][2]:
            service = each.entity.partition(":")[2] or variant_of(_stem(each.source))[0]
            yield from _told(each, call_id, service, new, others[0][0], hits, others[0][1])


def _of_files(
    each: Template, all_of: Sequence[Template], sources: Sequence[TextSource], call_id: str
) -> Iterator[Finding]:
    """Lines of a log of new instances, where those of old ones beside it have none like it."""
    service, new = variant_of(_stem(each.source))
    if not new or each.count < ENOUGH:
        return
    beside_it = [
        (variant, source)
        for source in sources
        for base, variant in [variant_of(_stem(source.name))]
        if base == service and variant and variant != new and (source.lines or 0) >= ENOUGH and _at_once(each, source)
    ]
    old = {variant for variant, _ in beside_it}
    names = {source.name for _, source in beside_it}
    if len(old) == 1 and not any(other.text == each.text and other.source in names for other in all_of):
        first = min((source.first for _, source in beside_it if source.first), default=None)
        own = next((source.first for source in sources if source.name == each.source), None)
        known = is_newer(new, min(old))
        if known or (known is None and first and own and own > first):
            yield from _told(each, call_id, service, new, min(old), each.count, 0)


def _at_once(each: Template, source: TextSource) -> bool:
    """Whether the other log was still written when the lines came."""
    return each.first is None or source.last is None or source.last >= each.first


def _told(each: Template, call_id: str, service: str, new: str, old: str, hits: int, of_old: int) -> Iterator[Finding]:
    if is_newer(new, old) is False or not is_entity(f"service:{service}"):
        return  # the old release is the ill one: the new one may be its cure
    what = f'"{clip(message(each.sample.text), 120)}" {hits} times against {of_old}'
    cited = (Citation(call_id, each.sample.source, each.sample.line or None, each.sample.text[:300].strip()),)
    yield _finding(service, new, old, what, cited, LOG_WEIGHT, each.first)


def _finding(
    service: str, new: str, old: str, what: str, cited: tuple[Citation, ...], weight: float, onset: object
) -> Finding:
    said = f"{service}: {what} ({new} beside {old}, at the same time)"
    return Finding(
        named("service", service), FAULT, said, cited, onset=onset, severity=Severity.ERROR,  # type: ignore[arg-type]
        weight=weight, signature=SIGNATURE, captures={"service": service, "new": new, "old": old, "what": what},
    )  # fmt: skip


def _stem(source: str) -> str:
    return source.rpartition("/")[2].removesuffix(".log").removesuffix(".jsonl").removesuffix(".txt")
