"""One container of kubectl describe pod, or of a workload's template."""

import re
from typing import Any, Final

from analysis.captures.context import Context, Line, safe_entity
from analysis.captures.indented import Node
from analysis.captures.units import cpus, kube_size, number, truth
from domain.facts import Fact

_PROBES: Final = ("Liveness", "Readiness", "Startup")
_REFERENCE: Final = re.compile(r"<set to the key '(.+)' in (secret|config map) '(.+)'>(.*)")


def container_fact(node: Node, pod: str, namespace: str, init: bool, context: Context) -> Fact:
    """State, last state, limits, environment, mounts and probes of a container."""
    now, before = _state(node.child("State")), _state(node.child("Last State"))
    limits, requests = node.child("Limits") or _EMPTY, node.child("Requests") or _EMPTY
    return context.fact(
        "container",
        safe_entity("container", node.key),
        telling_line(node),
        state=now.get("state"),
        reason=now.get("reason"),
        error=now.get("message") or before.get("message"),
        exit_code=now.get("exit_code"),
        started_at=now.get("started"),
        finished_at=now.get("finished") or before.get("finished"),
        last_state=before.get("state"),
        last_reason=before.get("reason"),
        last_exit_code=before.get("exit_code"),
        oom_killed="OOMKilled" in (now.get("reason"), before.get("reason")) if now else None,
        ready=truth(node.text("Ready")),
        restart_count=number(node.text("Restart Count")),
        image=node.text("Image"),
        image_id=node.text("Image ID"),
        id=node.text("Container ID").rpartition("//")[2],
        ports=re.split(r",\s*", ports) if (ports := node.text("Port", "Ports")) else [],
        command=_block(node, "Command"),
        memory_limit=kube_size(limits.text("memory")),
        cpu_limit=cpus(limits.text("cpu")),
        memory_request=kube_size(requests.text("memory")),
        cpu_request=cpus(requests.text("cpu")),
        env=_environment(node),
        mounts=_mounts(node),
        probes=[f"{key}: {node.text(key)}" for key in _PROBES if node.text(key)],
        pod=pod,
        namespace=namespace,
        init=init or None,
    )


def telling_line(node: Node) -> Line:
    """The line that says most of what is wrong: why it ended or waits, else how it is."""
    for key in ("Last State", "State"):
        state = node.child(key)
        reason = state.child("Reason") if state else None
        if reason is not None and reason.value not in (
            "Completed",
            "CrashLoopBackOff",
            "ContainerCreating",
            "PodInitializing",
        ):
            return reason.line
    state = node.child("State")
    reason = state.child("Reason") if state else None
    chosen = reason or state or node.child("Image") or node
    return chosen.line


def _state(node: Node | None) -> dict[str, Any]:
    if node is None:
        return {}
    return {
        "state": node.value.lower(),
        "reason": node.text("Reason"),
        "exit_code": number(node.text("Exit Code")),
        "started": node.text("Started"),
        "finished": node.text("Finished"),
        "message": " ".join(_message(node)),
    }


def _message(node: Node) -> list[str]:
    message = node.child("Message")
    return [] if message is None else message.texts()


def _block(node: Node, key: str) -> list[str]:
    """Command with its arguments, line by line."""
    told = [child.texts() for name in (key, "Args") if (child := node.child(name)) is not None]
    return [word for texts in told for word in texts]


def _environment(node: Node) -> list[str]:
    """`NAME=value`; what comes from a secret or config map reads `NAME=<secret name/key>`."""
    found = [f"{child.key}={child.value}" for child in (node.child("Environment") or _EMPTY).children if child.key]
    found += [
        f"*=<{child.value or child.key}>" for child in (node.child("Environment Variables from") or _EMPTY).children
    ]
    return [_REFERENCE.sub(r"<\2 \3/\1>\4", item) for item in found]


def _mounts(node: Node) -> list[str]:
    """`/data from redis-storage (rw)` -> `redis-storage:/data:rw`."""
    found = []
    for text in (node.child("Mounts") or _EMPTY).texts():
        match = re.match(r"(\S+) from (\S+) \(([^)]*)\)", text)
        found.append(f"{match[2]}:{match[1]}:{match[3]}" if match else text)
    return found


_EMPTY: Final = Node("", "", Line(0, ""), 0)
