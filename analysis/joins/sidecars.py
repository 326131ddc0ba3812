"""A job whose work is done and whose pod goes on, because a helper beside the work never ends."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from domain.entity import name_of
from domain.facts import Fact

# What stands beside the work and waits for it; of two others the one that runs on may be the work itself.
_HELPER: Final = re.compile(
    r"(?i)proxy|sidecar|mesh|istio|linkerd|envoy|dapr|consul|vault|agent|fluent|vector|promtail|filebeat|log|collector|"
    r"exporter|metric|otel|telemetry|tunnel|cloud-?sql|refresh|reload|sync|watch"
)


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each pod of a job in which one container completed and another runs on."""
    inside: dict[str, dict[str, int]] = {}
    for at, fact in enumerate(case.facts):
        if fact.kind == "container" and fact.attributes.get("pod") and not fact.attributes.get("init"):
            inside.setdefault(str(fact.attributes["pod"]), {})[name_of(fact.entity)] = at
    for pod in {name_of(f.entity): f for f in case.facts if f.kind == "pod" and _is_of_job(f)}.values():
        containers = inside.get(name_of(pod.entity), {})
        done = {name: at for name, at in containers.items() if _completed(case.facts[at])}
        going = {name: at for name, at in containers.items() if case.facts[at].attributes.get("state") == "running"}
        job = str(pod.attributes.get("owner")).partition("/")[2]
        helped = all(_HELPER.search(name) or _HELPER.search(_image(case.facts[at])) for name, at in going.items())
        worked = any(job == name or job.startswith(f"{name}-") for name in done)
        if done and going and (helped or worked) and len(done) + len(going) == len(containers):
            said = {
                "name": "job kept by its sidecar",
                "value": ", ".join(sorted(going)),
                "text": ", ".join(sorted(done)),
            }
            cited = [each for at in (*done.values(), *going.values()) for each in case.cite(at, "state", "reason")]
            yield JoinedFact(Fact("note", f"service:{job}", dict(said), pod.source, pod.at), tuple(cited))


def _image(container: Fact) -> str:
    return str(container.attributes.get("image") or "").rpartition("/")[2]


def _is_of_job(pod: Fact) -> bool:
    return str(pod.attributes.get("owner") or "").startswith("Job/")


def _completed(container: Fact) -> bool:
    told = container.attributes
    return told.get("state") == "terminated" and told.get("exit_code") == 0
