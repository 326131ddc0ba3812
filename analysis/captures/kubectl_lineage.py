"""kubectl lineage and kubectl tree: who owns whom, with readiness and events."""

import re
from typing import Final

from analysis.captures import kube_words
from analysis.captures.context import Context, Line, Parser
from analysis.captures.units import duration
from domain.facts import Fact

_ROW: Final = re.compile(
    r"(?P<tree>[\s├└│─]*)(?P<kind>[A-Z]\w+)/(?P<name>\S+)\s+(?P<ready>\d+/\d+|-|True|"
    r"False)?\s*(?P<status>.*?)\s+(?P<age>\d\w*)\s*$"
)


def parse(text: str, context: Context) -> list[Fact]:
    """One fact for each object; an event belongs to the object it hangs under."""
    facts: list[Fact] = []
    owners: list[tuple[int, str, str]] = []  # depth, kind, name
    for line in context.lines(text):
        match = _ROW.match(line.text)
        if match is None:
            continue
        depth = len(match["tree"])
        while owners and owners[-1][0] >= depth:
            owners.pop()
        owner = (owners[-1][1], owners[-1][2]) if owners else ("", "")
        facts.append(_fact(match, owner, line, context))
        if match["kind"] != "Event":
            owners.append((depth, match["kind"], match["name"]))
    return facts


def _fact(match: re.Match[str], owner: tuple[str, str], line: Line, context: Context) -> Fact:
    kind, name, status = kube_words.kind_of(match["kind"]), match["name"], match["status"]
    namespace = context.arguments.get("namespace")
    if kind == "event":
        reason, _, message = status.partition(": ")
        return context.fact(
            "event",
            kube_words.kube_entity(*owner),
            line,
            reason=reason,
            message=message,
            count=1,
            object="/".join(owner),
            namespace=namespace,
            age_seconds=duration(match["age"]),
        )
    ready = kube_words.ready_of(match["ready"] or "")
    told = {"namespace": namespace, "owner": "/".join(owner).strip("/"), "age_seconds": duration(match["age"])}
    if kind == "pod":
        return context.fact(
            "pod",
            kube_words.kube_entity("pod", name),
            line,
            **told,
            **(kube_words.pod_status(status) if status else {}),
            ready=ready[0] == ready[1] if ready else None,
        )
    if kind in kube_words.WORKLOADS:
        return context.fact(
            "workload",
            kube_words.kube_entity(kind, name),
            line,
            **told,
            type=kube_words.WORKLOADS[kind],
            ready_replicas=ready[0] if ready else None,
            desired=ready[1] if ready else None,
        )
    return context.fact(
        "object", kube_words.kube_entity(kind, name), line, **told, type=kind, status=status, exists=True
    )


PARSERS: Final = (
    Parser("kubectl lineage", parse, ("kubectl lineage", "kubectl tree", "kubectl_lineage_children",
                                        "kubectl_lineage_parents"),
           looks=re.compile(r"\ANAME\s+READY\s+STATUS\s+AGE\n\w+/\S+.*\n[├└]")),
)  # fmt: skip
