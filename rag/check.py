"""What is wrong with runbooks that load: `fishbone runbooks check`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.candidates import SYMPTOMS as STANDS_FOR
from analysis.patterns import BadPattern, compiled, groups
from analysis.replaced import NEW, OLD
from analysis.rules import AGAINST, FACT_NAME
from analysis.wording import ALWAYS, fields
from domain.entity import KINDS
from domain.evidence import Finding
from domain.facts import FACTS, attributes_of
from domain.fault import FAMILIES, covers, family_of, is_fault, is_none
from domain.runbook import Remedy, Runbook, Signature
from rag.examples import Example, Examples

SECTIONS: Final = ("Meaning", "Impact", "Diagnosis", "Mitigation")
SYMPTOMS: Final = frozenset(
    {
        "log.error", "log.new", "log.burst", "log.gap", "metric.anomaly", "trace.slow", "trace.failing",
        "trace.network_delay", "state.not_running", "state.restarting", "state.unhealthy", "state.not_ready",
        "event.warning", "change.near", "probe.failed",
    }
)  # fmt: skip
PROOF: Final = 0.8  # from this weight on a signature proves its fault by itself
_OF_TEXT: Final = frozenset({"count", "source"})
_OF_METRIC: Final = frozenset({"value", "before", "score", "metric"})
_ALWAYS: Final = frozenset(ALWAYS)
_RAISED: Final = frozenset(
    fault for fault, _ in STANDS_FOR.values()
)  # faults that findings stand for without a runbook
Twin = Callable[[Sequence[Runbook]], Iterable[Finding]]  # all findings that signatures give on one healthy bundle
# What a tactic tells of a fault that it finds itself, without a signature (agents/offline/change_blame.py, ...).
_CHANGE: Final = frozenset({"change", "service", "did", "file", "title", "author", "symptom", "new", "old", "what"})
_JOINED: Final = frozenset({OLD, NEW})  # what a finding about a replaced container is told besides
_TOLD: Final = {"change.": _CHANGE, "cpu.noisy_neighbour": frozenset({"victim", "node"})}


@dataclass(frozen=True)
class Problem:
    """One thing to mend."""

    runbook: str
    place: str  # key of the front matter, section, or example
    what: str

    def __str__(self) -> str:
        return f"{self.runbook}: {self.place}: {self.what}"


def check(runbooks: Sequence[Runbook], examples: Examples, twins: Mapping[str, Twin]) -> list[Problem]:
    """Everything wrong, by runbook. `twins` runs the signatures over each healthy twin, by its name."""
    problems = [*_shared_faults(runbooks), *_unknown_examples(runbooks, examples), *_proofs(runbooks, examples)]
    for runbook in runbooks:
        problems.extend(_words(runbook))
        problems.extend(_explains(runbook, runbooks))
        problems.extend(_sections(runbook))
        problems.extend(_patterns(runbook))
        problems.extend(_facts(runbook))
        problems.extend(_templates(runbook))
        problems.extend(_examples(runbook, examples.get(runbook.name, {})))
    for name in sorted(twins):
        problems.extend(_on_twin(name, twins[name](runbooks)))
    return sorted(problems, key=lambda each: (each.runbook, each.place, each.what))


def _shared_faults(runbooks: Sequence[Runbook]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for runbook in runbooks:
        other = first.setdefault(runbook.fault, runbook.name)
        if other != runbook.name:
            yield Problem(runbook.name, "fault", f"{runbook.fault} is already the fault of {other}; join the two")


def _words(runbook: Runbook) -> Iterator[Problem]:
    if not is_fault(runbook.fault):
        yield Problem(runbook.name, "fault", f"{runbook.fault!r} is not family.kind[.detail] of a known family")
    for place, kind in [("entity", runbook.entity), *((f"{p}.entity", s.entity) for p, s in _signatures(runbook))]:
        if (kind or place == "entity") and kind not in KINDS:
            yield Problem(runbook.name, place, f"{kind!r} is no entity kind; the kinds are {', '.join(KINDS)}")


def _explains(runbook: Runbook, runbooks: Sequence[Runbook]) -> Iterator[Problem]:
    for pattern in runbook.explains:
        whole_family = pattern.endswith(".*") and pattern[:-2] in FAMILIES
        known = whole_family or pattern in SYMPTOMS or pattern in _RAISED
        if not (known or any(covers(pattern, each.fault) for each in runbooks)):
            unknown = "" if family_of(pattern) in FAMILIES else f" (unknown family {family_of(pattern)!r})"
            yield Problem(runbook.name, "explains", f"no runbook defines {pattern!r}{unknown}")


def _sections(runbook: Runbook) -> Iterator[Problem]:
    found = re.findall(r"^## +(.+?) *$", runbook.body, flags=re.MULTILINE)
    missing = [name for name in SECTIONS if name not in found]
    if missing:
        yield Problem(runbook.name, "sections", f"missing: {', '.join(f'## {name}' for name in missing)}")
    elif [name for name in found if name in SECTIONS] != list(SECTIONS):
        yield Problem(runbook.name, "sections", f"must stand once each, in this order: {', '.join(SECTIONS)}")
    for name in SECTIONS:
        if re.search(rf"^## +{name} *\n\s*(?=## |\Z)", runbook.body, flags=re.MULTILINE):
            yield Problem(runbook.name, "sections", f"## {name} is empty")


def _patterns(runbook: Runbook) -> Iterator[Problem]:
    for place, pattern in _all_patterns(runbook):
        try:
            compiled(pattern)
        except BadPattern as exc:
            yield Problem(runbook.name, place, str(exc))


def _all_patterns(runbook: Runbook) -> Iterator[tuple[str, str]]:
    yield from (("alerts", each) for each in runbook.alerts)
    for place, signature in _signatures(runbook):
        if signature.text is not None:
            yield f"{place}.text", signature.text
        if signature.metric is not None:
            yield f"{place}.metric", signature.metric.metric
        for each in signature.state.where if signature.state else ():
            if each.matches is not None:
                yield f"{place}.where.{each.attribute}", each.matches


def _facts(runbook: Runbook) -> Iterator[Problem]:
    for place, signature in _signatures(runbook):
        if signature.state is None:
            continue
        kind = signature.state.fact
        if kind not in FACTS:
            yield Problem(runbook.name, place, f"unknown kind of fact {kind!r}; domain/facts.py lists them")
            continue
        known = attributes_of(kind)
        for name in sorted({each.attribute for each in signature.state.where} - known):
            yield Problem(runbook.name, place, f"a {kind} fact has no {name!r}; it has {', '.join(sorted(known))}")


def _templates(runbook: Runbook) -> Iterator[Problem]:
    everywhere = {name for fault, names in _TOLD.items() if runbook.fault.startswith(fault) for name in names}
    for place, signature in _signatures(runbook):
        captures = _captures(signature)
        if not place.startswith("contradicts"):
            everywhere |= captures
        # What speaks against a hypothesis by state is told of the fact it rests on.
        yield from _unknown(runbook, f"{place}.reason", signature.reason, captures)
    yield from _unknown(runbook, "summary", runbook.summary, everywhere | _JOINED)
    for place, remedy in _remedies(runbook):
        yield from _unknown(runbook, place, f"{remedy.text} {remedy.command}", everywhere)


def _unknown(runbook: Runbook, place: str, template: str, captures: set[str]) -> Iterator[Problem]:
    for name in sorted(fields(template) - captures - _ALWAYS):
        yield Problem(runbook.name, place, f"{{{name}}} is captured by no signature")


def _captures(signature: Signature) -> set[str]:
    if signature.state is not None:
        known = attributes_of(signature.state.fact) if signature.state.fact in FACTS else frozenset()
        return {*known, FACT_NAME} if "name" in known else set(known)
    if signature.metric is not None:
        return set(_OF_METRIC)
    try:
        return set(groups(signature.text or "")) | _OF_TEXT
    except BadPattern:
        return set()


def _examples(runbook: Runbook, examples: Mapping[str, Example]) -> Iterator[Problem]:
    texts = {signature.id: signature.text for _, signature in _signatures(runbook) if signature.text is not None}
    for key, pattern in texts.items():
        example = examples.get(key)
        if example is None or not example.fires or not example.misses:
            yield Problem(runbook.name, f"examples.{key}", "needs a line that fires and a near miss that does not")
        if example is not None:
            yield from _run(runbook, key, pattern, example)
    for key in sorted(examples.keys() - texts.keys()):
        yield Problem(runbook.name, f"examples.{key}", "no text signature has this id")


def _run(runbook: Runbook, key: str, pattern: str, example: Example) -> Iterator[Problem]:
    if not _compiles(pattern):
        return
    search = compiled(pattern).search
    for line in example.fires:
        if not search(line):
            yield Problem(runbook.name, f"examples.{key}.fires", f"does not fire on: {line}")
    for line in example.misses:
        if search(line):
            yield Problem(runbook.name, f"examples.{key}.misses", f"fires on the near miss: {line}")


def _unknown_examples(runbooks: Sequence[Runbook], examples: Examples) -> Iterator[Problem]:
    for name in sorted(examples.keys() - {each.name for each in runbooks}):
        yield Problem(name, "examples", "there is no such runbook")


def _proofs(runbooks: Sequence[Runbook], examples: Examples) -> Iterator[Problem]:
    """One line cannot prove two faults of which neither follows from the other."""
    proofs = [
        (runbook, signature)
        for runbook in runbooks
        for signature in runbook.signatures
        if signature.weight >= PROOF and signature.text and _compiles(signature.text)
    ]
    for runbook, signature in proofs:
        example = examples.get(runbook.name, {}).get(signature.id)
        others = [(other, rival) for other, rival in proofs if not _related(runbook, other)]
        for line in example.fires if example else ():
            for other, rival in others:
                if compiled(rival.text or "").search(line):
                    what = f"its example also proves {other.fault} ({other.name}/{rival.id}): {line}"
                    yield Problem(runbook.name, f"signatures.{signature.id}", what)


def _related(one: Runbook, other: Runbook) -> bool:
    return one is other or any(
        covers(pattern, effect.fault) for cause, effect in ((one, other), (other, one)) for pattern in cause.explains
    )


def _compiles(pattern: str) -> bool:
    try:
        compiled(pattern)
    except BadPattern:
        return False  # said already
    return True


def _on_twin(twin: str, findings: Iterable[Finding]) -> Iterator[Problem]:
    fired: Counter[str] = Counter()
    told: dict[str, str] = {}
    for each in findings:
        if each.signature and not each.kind.startswith(AGAINST) and not is_none(each.kind):
            fired[each.signature] += 1
            told.setdefault(each.signature, each.statement)
    for signature in sorted(fired):
        runbook, _, key = signature.partition("/")
        yield Problem(runbook, f"signatures.{key}", f"fires on the healthy twin {twin}: {told[signature]}")


def _signatures(runbook: Runbook) -> Iterator[tuple[str, Signature]]:
    yield from ((f"signatures.{each.id}", each) for each in runbook.signatures)
    yield from ((f"contradicts.{each.id}", each) for each in runbook.contradicts)


def _remedies(runbook: Runbook) -> Iterator[tuple[str, Remedy]]:
    groups_of = (("now", runbook.now), ("next", runbook.next), ("prevention", runbook.prevention))
    for name, remedies in groups_of:
        yield from ((f"remediation.{name}.{number}", each) for number, each in enumerate(remedies))
    yield from ((f"checks.{number}", each) for number, each in enumerate(runbook.checks))
