"""The second look: where two causes are close, named questions to the agents whose evidence speaks for them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from analysis.wording import fill
from domain.diagnosis import Diagnosis, Hypothesis, Verdict
from domain.plan import Plan, Task
from domain.runbook import Runbook

# What one more observation can turn round: another source that agrees (0.06), an onset before all others (0.06) and a
# change nearby (0.08), as `analysis.hypotheses` weighs them. Beyond that a second look could only confirm.
CLOSE: Final = 0.2
OWN_SYMPTOM: Final = -0.2  # a hypothesis that another explains this far is no rival (as in analysis.confidence)
MOST_AGENTS: Final = 2
QUESTION: Final = 900  # characters


def second_look(
    diagnosis: Diagnosis,
    ranked: tuple[Hypothesis, ...],
    plan: Plan,
    knowledge: Iterable[Runbook],
    readable: Callable[[str], bool],
) -> tuple[Task, ...]:
    """The tasks of a second look; none where the cause is clear, or nobody holds evidence to look at closer.

    `readable` tells whether an agent may still read the result of a call of its own.
    """
    rivals = [h for h in ranked[1:] if h.terms.get("symptom", 0.0) > OWN_SYMPTOM]
    if diagnosis.verdict is Verdict.HEALTHY or not rivals or ranked[0].score - rivals[0].score > CLOSE:
        return ()
    pair = (ranked[0], rivals[0])
    asked = _question(pair, {runbook.fault: runbook for runbook in knowledge})
    named = _witnesses(pair, readable)
    about = tuple(hypothesis.entity for hypothesis in pair)
    tasks = [_task(task, f"{asked} {named[task.agent]}", about) for task in plan.tasks if task.agent in named]
    return tuple(tasks[:MOST_AGENTS])


def _task(task: Task, question: str, about: tuple[str, ...]) -> Task:
    return replace(task, questions=(question,), entities=tuple(dict.fromkeys((*about, *task.entities))))


def _witnesses(pair: Iterable[Hypothesis], readable: Callable[[str], bool]) -> dict[str, str]:
    """Agents whose calls speak for one of the two, each with those it may read again; a passage is no witness: it says
    what to look for, not what happened."""
    findings = (f for hypothesis in pair for f in hypothesis.findings if not f.only_advised)
    calls = dict.fromkeys(citation.call_id for finding in findings for citation in finding.citations)
    named: dict[str, list[str]] = {}
    for call in calls:
        named.setdefault(call.rpartition(".")[0], []).extend([call] if readable(call) else [])
    return {agent: f"It rests on {', '.join(own)} of yours." if own else "" for agent, own in named.items()}


def _question(pair: tuple[Hypothesis, Hypothesis], by_fault: dict[str, Runbook]) -> str:
    first, second = pair
    checks = [check for each in pair for check in _checks(each, by_fault.get(each.fault))]
    told = f"Two causes are close: {first.fault} of {first.entity}, and {second.fault} of {second.entity}. "
    told += "Which of the two do your sources speak for or against? Look for that alone."
    return f"{told}{' What tells them: ' if checks else ''}{' '.join(checks)}"[:QUESTION]


def _checks(hypothesis: Hypothesis, runbook: Runbook | None) -> list[str]:
    """What the runbook says would decide, cheapest first."""
    return [fill(c.text, hypothesis.entity, hypothesis.captures) for c in runbook.checks[:1]] if runbook else []
