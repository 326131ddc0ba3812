"""One ranking out of what metrics, traces and logs found about entities: for incidents that no runbook knows."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from analysis.lines.others import is_about_another
from analysis.measured.callgraph import callees, is_pseudo, suffering_below
from analysis.measured.localise import ALSO
from analysis.measured.walk import LAST
from domain.entity import name_of
from domain.evidence import Finding, Severity
from domain.results import Edge

STRENGTH = "strength"  # capture of a metric finding: how much its clue counts, in powers of ten of sigmas
# Errors that a log never held before count like a deviation of a hundred sigmas: more than a latency on the way, less
# than a processor at its limit, which makes others log errors too.
NEW_ERROR = 2.0
SPREADS = 0.5  # for one whose callers log new errors too: it explains theirs
_SEVERE = (Severity.ERROR, Severity.CRITICAL)


def fuse(findings: Sequence[Finding], edges: Sequence[Edge]) -> list[tuple[str, float]]:
    """Names of entities with their strength, the likeliest cause first, ties by name.

    New errors travel from callee to caller like latency does: the last in the call graph that logs them counts more.
    """
    by_name: dict[str, list[float]] = defaultdict(list)
    for name, strength in [*_of_metrics(findings), *_of_logs(findings, edges)]:
        by_name[name].append(strength)
    fused = {name: max(of) + ALSO * (sum(of) - max(of)) for name, of in by_name.items()}
    return sorted(((name, round(strength, 4)) for name, strength in fused.items()), key=lambda one: (-one[1], one[0]))


def _of_metrics(findings: Sequence[Finding]) -> Iterator[tuple[str, float]]:
    best: dict[tuple[str, str], float] = {}
    for finding in findings:
        if STRENGTH in finding.captures:
            key = name_of(finding.entity), finding.kind
            best[key] = max(best.get(key, -9.0), float(finding.captures[STRENGTH]))
    yield from ((name, strength) for (name, _), strength in best.items())


def _is_own_new_error(finding: Finding) -> bool:
    own = finding.kind == "log.new" and finding.severity in _SEVERE
    return own and not is_about_another(finding.statement)


def _of_logs(findings: Sequence[Finding], edges: Sequence[Edge]) -> Iterator[tuple[str, float]]:
    new = {name_of(each.entity) for each in findings if _is_own_new_error(each)}
    graph = callees(edges)
    explains = {callee for caller in new for callee in suffering_below(graph, caller, new, {})}
    for name in sorted(new):
        last = not is_pseudo(name) and not suffering_below(graph, name, new, {})
        yield name, NEW_ERROR + (LAST if last else 0.0) + (SPREADS if last and name in explains else 0.0)
