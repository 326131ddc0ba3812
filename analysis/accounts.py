"""The account per alert, and which hypotheses may be a cause at all: on a live machine those that reach an alert."""

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from analysis.case import Case
from analysis.kinds import Fit, fit
from analysis.long_before import stood
from analysis.measured.fusion import STRENGTH
from analysis.reach import CONSISTENT, EXPLAINED, NOT_EXPLAINED, Reach, account_of, reach_of
from analysis.sight import connect, unseen
from domain.diagnosis import LINKED, AlertAccount, Hypothesis

NO_LINK: Final = "nothing connects it with what alerted"
OTHER_KIND: Final = "nothing says that it leads to such an alert"
WEAK: Final = "alone it only supports: the like is found on any machine, also without an alert"
STOOD: Final = "it was so long before the alert"
MOST_HYPOTHESES: Final = 8  # that a diagnosis tells
_LOOKED_AT: Final = 24  # hypotheses that may be a second cause
_SECONDS: Final = 3
_PROVES: Final = 0.5  # evidence below which a signature of a machine's state proves nothing by itself
_REAL: Final = 0.3  # evidence from which a second hypothesis is worth telling


@dataclass
class Accounts:
    """What hypotheses make of alerts. Alerts that name the same are judged once."""

    case: Case
    _reach: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], Reach] = field(default_factory=dict)
    _fits: dict[tuple[str, str, str, str], Fit] = field(default_factory=dict)

    def ordered(self, ranked: tuple[Hypothesis, ...]) -> tuple[Hypothesis, ...]:
        """On a live machine what reaches an alert comes first; the rest is told as such. A recording stays as it is."""
        if not self.case.incident.seen or not self.case.incident.alerts:
            return ranked
        linked: list[Hypothesis] = []
        barred: list[Hypothesis] = []
        for hypothesis in ranked:
            if len(linked) == MOST_HYPOTHESES:  # enough to tell: the rest is weaker
                break
            if why := self._bar(hypothesis):
                barred.append(_barred(hypothesis, why))
            else:
                linked.append(hypothesis)
        return (*linked, *barred, *ranked[len(linked) + len(barred) :])

    def of(self, ranked: tuple[Hypothesis, ...]) -> tuple[AlertAccount, ...]:
        """The account of each alert, where the first hypothesis is the cause."""
        top, told = ranked[0], [self._one(ranked[0], at) for at in range(len(self.case.incident.alerts))]
        if not self.case.incident.seen and all(each == NOT_EXPLAINED for each in told):
            told = [CONSISTENT] * len(told)  # the evidence was recorded for these alerts
        by = f"{top.fault} of {top.entity}"
        return tuple(
            AlertAccount(alert.fingerprint, each, by if each != NOT_EXPLAINED else self._why_not(ranked, at))
            for at, (alert, each) in enumerate(zip(self.case.incident.alerts, told, strict=True))
        )

    def none(self) -> tuple[AlertAccount, ...]:
        """The account where nothing is the cause."""
        alerts = self.case.incident.alerts
        return tuple(AlertAccount(a.fingerprint, NOT_EXPLAINED, self._unseen(at)) for at, a in enumerate(alerts))

    def well(self, why: str) -> tuple[AlertAccount, ...]:
        """The account where nothing is wrong: of what nobody looks at that is not said."""
        told = self.none()
        return tuple(each if each.by else replace(each, account=EXPLAINED, by=why) for each in told)

    def all_unseen(self) -> bool:
        """Whether no source looks at any of what alerted."""
        return bool(self.case.incident.alerts) and all(each.by for each in self.none())

    def seconds(self, ranked: tuple[Hypothesis, ...]) -> tuple[Hypothesis, ...]:
        """The hypotheses with those right behind the first that explain alerts which it does not."""
        alerts = range(len(self.case.incident.alerts))
        left = [at for at in alerts if self._one(ranked[0], at) == NOT_EXPLAINED] if len(alerts) > 1 else []
        found = {(second.fault, second.entity) for at in left if (second := self._second(ranked, at))}
        near = [each for each in ranked[1:] if (each.fault, each.entity) in found][:_SECONDS]
        return (ranked[0], *near, *(each for each in ranked[1:] if each not in near))

    def unseen(self) -> tuple[str, ...]:
        """What the alerts are about and no source looks at, each once."""
        return tuple(
            dict.fromkeys(filter(None, (unseen(self.case, at) for at in range(len(self.case.incident.alerts)))))
        )

    def connect(self) -> str:
        """What is to be done so that something looks at it; empty where something does, or nothing is named."""
        missing = self.unseen()
        return f"No source looks at {_name(missing[0])}: {connect(missing[0])}, then diagnose again." if missing else ""

    def _bar(self, hypothesis: Hypothesis) -> str:
        """Why it is no cause, however strong it is otherwise; empty where it may be one."""
        alerts = range(len(self.case.incident.alerts))
        reached = [at for at in alerts if self._one(hypothesis, at) != NOT_EXPLAINED]
        if not reached:
            return NO_LINK
        if all(self._fit(hypothesis, at) is Fit.NO for at in reached):
            return OTHER_KIND
        if stood(self.case, hypothesis):
            return STOOD
        fired = any("/" in finding.signature for finding in hypothesis.findings)
        measured = any(STRENGTH in finding.captures for finding in hypothesis.findings)
        return WEAK if fired and not measured and hypothesis.terms.get("evidence", 0.0) < _PROVES else ""

    def _one(self, hypothesis: Hypothesis, at: int) -> str:
        case = self.case
        where = (hypothesis.entity, hypothesis.fault, case.names_of(at), case.on[at] if at < len(case.on) else ())
        if where not in self._reach:
            self._reach[where] = reach_of(case, hypothesis, at)
        return account_of(self._reach[where], self._fit(hypothesis, at))

    def _fit(self, hypothesis: Hypothesis, at: int) -> Fit:
        alert = self.case.incident.alerts[at]
        what = (hypothesis.fault, alert.name, alert.severity, alert.annotations.get("summary", ""))
        if what not in self._fits:
            self._fits[what] = fit(self.case, hypothesis.fault, alert)
        return self._fits[what]

    def _second(self, ranked: tuple[Hypothesis, ...], at: int) -> Hypothesis | None:
        real = (each for each in ranked[1:] if each.terms.get("evidence", 0.0) >= _REAL and each.chain)
        return next((each for each in islice(real, _LOOKED_AT) if self._one(each, at) == EXPLAINED), None)

    def _why_not(self, ranked: tuple[Hypothesis, ...], at: int) -> str:
        if missing := self._unseen(at):
            return missing
        second = self._second(ranked, at)
        return f"second hypothesis: {second.fault} of {second.entity}" if second else NO_LINK

    def _unseen(self, at: int) -> str:
        missing = unseen(self.case, at)
        return f"no source looks at {_name(missing)}" if missing else ""


def _barred(hypothesis: Hypothesis, why: str) -> Hypothesis:
    return replace(hypothesis, terms={**hypothesis.terms, LINKED: 0.0}, contradicts=(*hypothesis.contradicts, why))


def _name(of: str) -> str:
    kind, _, name = of.partition(":")
    return name if kind == "host" else f"{kind} {name}"
