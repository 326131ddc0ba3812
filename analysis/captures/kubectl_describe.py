"""kubectl describe of any kind of object: pods with their containers, workloads, nodes, claims, others, and events."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from analysis.captures import kube_policy, kube_words
from analysis.captures.context import Context, Line, Parser, first
from analysis.captures.indented import Node, tree
from analysis.captures.kube_container import container_fact
from analysis.captures.units import cpus, duration, kube_size, number, truth
from domain.facts import Attribute, Fact

_EVENT: Final = re.compile(r"\s+(Normal|Warning)\s+(\S+)\s+(\S+(?: \(x\d+ over \S+?\))?)\s+(\S+(?:, \S+)*)\s+(.*)$")
_AGE: Final = re.compile(r"(\S+?)(?: \(x(\d+) over (\S+?)\))?$")
_COUNTS: Final = re.compile(r"(\d+) (\w+)")
_POD_LINES: Final = ("Reason", "Message", "Status", "Name")


def parse(text: str, context: Context) -> list[Fact]:
    """Every object that was described."""
    facts: list[Fact] = []
    for lines in _objects(list(context.lines(text))):
        root = tree(lines)
        if root.child("Name") is not None:
            facts += _described(root, context)
    return facts


def _objects(lines: list[Line]) -> Iterator[list[Line]]:
    """Several objects stand one under the other, each with a `Name:` at the margin."""
    starts = [at for at, line in enumerate(lines) if line.text.startswith("Name:")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        yield lines[start:end]


def _described(root: Node, context: Context) -> list[Fact]:
    kind = _kind(root, context)
    name = root.text("Name")
    read = _READERS.get(kind, _workload if kind in kube_words.WORKLOADS else _object)
    return [*read(root, kind, name, context), *_events(root, kind, name, context)]


def _kind(root: Node, context: Context) -> str:
    """What was asked for, else what its fields give away."""
    words = [word for word in context.command.plain.split()[2:3] if context.command.program in ("kubectl", "oc", "k")]
    told = str(context.arguments.get("kind") or next(iter(words), "")).partition("/")[0]
    keys = {node.key for node in root.children}
    if told:
        return kube_words.kind_of(told)
    return next((kind for kind, needed in _TELLING if needed <= keys), "object")


_TELLING: Final = (
    ("node", {"Allocatable", "Capacity"}), ("pod", {"Containers", "QoS Class"}), ("pod", {"Containers", "Node",
    "Status"}),
    ("job", {"Parallelism"}), ("cronjob", {"Schedule", "Concurrency Policy"}), ("daemonset",
    {"Desired Number of Nodes Scheduled"}),
    ("deployment", {"StrategyType"}), ("statefulset", {"Pods Status", "Update Strategy"}), ("replicaset",
    {"Pods Status", "Replicas"}),
    ("persistentvolumeclaim", {"StorageClass", "Used By"}), ("persistentvolume", {"StorageClass", "Reclaim Policy"}),
    ("storageclass", {"Provisioner"}), ("ingress", {"Rules"}), ("service", {"Endpoints", "Selector"}),
    ("horizontalpodautoscaler", {"Min replicas"}), ("serviceaccount", {"Mountable secrets"}), ("resourcequota",
    {"Resource"}),
)  # fmt: skip


def _pod(root: Node, _kind: str, name: str, context: Context) -> list[Fact]:
    containers = [
        (node, group == "Init Containers")
        for group in ("Init Containers", "Containers")
        for node in (root.child(group) or root).children
        if root.child(group) is not None and node.key
    ]
    facts = [container_fact(node, name, root.text("Namespace"), init, context) for node, init in containers]
    reasons = [fact.attributes.get("reason") for fact in facts if fact.attributes.get("state") != "running"]
    conditions = _conditions(root)
    phase = root.text("Status").split(" ")[0]
    reason = root.text("Reason") or first(r for r in reasons if r not in kube_words.FINE)
    pod = context.fact(
        "pod",
        kube_words.kube_entity("pod", name),
        _telling_line(root),
        namespace=root.text("Namespace"),
        phase=phase,
        status=reason or root.text("Status"),
        reason=reason,
        message=root.text("Message") or _condition_message(root),
        labels=_texts(root, "Labels"),
        node=root.text("Node").partition("/")[0],
        owner=root.text("Controlled By"),
        service_account=root.text("Service Account"),
        ready=_truth_of(conditions, "Ready"),
        restarts=sum(_count(fact.attributes.get("restart_count")) for fact in facts),
        qos=root.text("QoS Class"),
        scheduled=_truth_of(conditions, "PodScheduled"),
        conditions=conditions,
        addresses=_addresses(root),
        containers=[fact.entity.partition(":")[2] for fact in facts],
        volumes=_children(root, "Volumes"),
        claims=_claims(root),
        tolerations=_texts(root, "Tolerations"),
        node_selector=_texts(root, "Node-Selectors"),
        priority=number(root.text("Priority")),
        started_at=root.text("Start Time"),
        deleting=phase == "Terminating" or None,
    )
    return [pod, *facts]


def _count(value: Attribute) -> int:
    return value if isinstance(value, int) else 0


def _telling_line(root: Node) -> Line:
    return next((node.line for key in _POD_LINES if (node := root.child(key)) is not None), root.line)


def _addresses(root: Node) -> list[str]:
    found = [root.text("IP"), *(node.value for node in (root.child("IPs") or root).children if node.key == "IP")]
    return sorted({address for address in found if address and address != "<none>"})


def _claims(root: Node) -> list[str]:
    volumes = (root.child("Volumes") or Node("", "", root.line, 0)).children
    return [claim for volume in volumes if (claim := volume.text("ClaimName"))]


def _children(root: Node, key: str) -> list[str]:
    node = root.child(key)
    return [] if node is None else [child.key for child in node.children if child.key]


def _texts(root: Node, key: str) -> list[str]:
    node = root.child(key)
    return [] if node is None else node.texts()


def _conditions(root: Node) -> list[str]:
    """`Ready=False`, with the reason where the table has one: `Ready=False KubeletNotReady`."""
    rows = (root.child("Conditions") or Node("", "", root.line, 0)).lines()
    return [
        f"{words[0]}={words[1]}" + (f" {words[2]}" if len(words) == 3 else "")
        for words in (line.text.split() for line in rows)
        if len(words) >= 2 and words[1] in ("True", "False", "Unknown")
    ]


def _truth_of(conditions: list[str], name: str) -> bool | None:
    told = next((text.partition("=")[2].split()[0] for text in conditions if text.startswith(f"{name}=")), "")
    return truth(told)


def _condition_message(root: Node) -> str:
    return next(
        (node.text("Message") for node in (root.child("Conditions") or root).children if node.text("Message")), ""
    )


def _workload(root: Node, kind: str, name: str, context: Context) -> list[Fact]:
    told = {word: int(amount) for amount, word in _COUNTS.findall(root.text("Replicas"))}
    pods = {word.lower(): int(amount) for amount, word in _COUNTS.findall(root.text("Pods Statuses", "Pods Status"))}
    template = root.child("Pod Template")
    containers = (template.child("Containers") if template else None) or Node("", "", root.line, 0)
    parts = [
        container_fact(node, "", root.text("Namespace"), False, context) for node in containers.children if node.key
    ]
    conditions = _conditions(root)
    line = root.child("Replicas", "Pods Statuses", "Pods Status") or root.child("Name") or root
    return [
        context.fact(
            "workload",
            kube_words.kube_entity(kind, name),
            line.line,
            type=kube_words.WORKLOADS[kind],
            namespace=root.text("Namespace"),
            labels=_texts(root, "Labels"),
            owner=root.text("Controlled By"),
            desired=first((told.get("desired"), number(root.text("Desired Number of Nodes Scheduled", "Completions")))),
            available=first(
                (told.get("available"), number(root.text("Number of Nodes Scheduled with Available Pods")))
            ),
            updated=told.get("updated"),
            unavailable=told.get("unavailable"),
            conditions=conditions,
            ready_replicas=first((told.get("available"), pods.get("running"))),
            reason=_bad_condition(conditions),
            containers=[part.entity.partition(":")[2] for part in parts],
            image=first(part.attributes.get("image") for part in parts),
            strategy=root.text("StrategyType", "Update Strategy"),
            selector=_texts(root, "Selector"),
            succeeded=pods.get("succeeded"),
            failed=pods.get("failed"),
            backoff_limit=number(root.text("Backoff Limit")),
            schedule=root.text("Schedule"),
            env=[item for part in parts for item in _list(part, "env")],
            probes=[i for p in parts for i in _list(p, "probes")],
            memory_limit=first(part.attributes.get("memory_limit") for part in parts),
            cpu_limit=first(part.attributes.get("cpu_limit") for part in parts),
            service_account=template.text("Service Account") if template else None,
            message=_condition_message(root),
        )
    ]


def _list(fact: Fact, name: str) -> list[Any]:
    value = fact.attributes.get(name)
    return value if isinstance(value, list) else []


def _bad_condition(conditions: list[str]) -> str | None:
    """The reason of what is not as it should be."""
    for text in conditions:
        name, _, rest = text.partition("=")
        value, _, reason = rest.partition(" ")
        if reason and (value == "True") == (name in ("ReplicaFailure", "Failed", "FailureTarget", "ScalingLimited")):
            return reason
    return None


def _node(root: Node, _kind: str, name: str, context: Context) -> list[Fact]:
    rows = {
        m[1]: (m[2], line) for line in (root.child("Conditions") or root).lines() if (m := _NODE_ROW.match(line.text))
    }
    ready = rows.get("Ready", ("", (root.child("Name") or root).line))
    bad = next((line for key, (value, line) in rows.items() if (value == "True") != (key == "Ready")), ready[1])
    match = _NODE_ROW.match(bad.text)
    capacity, info = root.child("Capacity") or root, root.child("System Info") or root
    return [
        context.fact(
            "node",
            kube_words.kube_entity("node", name),
            bad,
            ready=truth(ready[0]),
            reason=match[3] if match else None,
            message=match[4] if match else None,
            memory_pressure=truth(rows["MemoryPressure"][0]) if "MemoryPressure" in rows else None,
            disk_pressure=truth(rows["DiskPressure"][0]) if "DiskPressure" in rows else None,
            pid_pressure=truth(rows["PIDPressure"][0]) if "PIDPressure" in rows else None,
            network_unavailable=truth(rows["NetworkUnavailable"][0]) if "NetworkUnavailable" in rows else None,
            schedulable=not truth(root.text("Unschedulable")),
            taints=_texts(root, "Taints"),
            labels=_texts(root, "Labels"),
            cpu=cpus(capacity.text("cpu")),
            memory=kube_size(capacity.text("memory")),
            pods_capacity=number(capacity.text("pods")),
            version=info.text("Kubelet Version"),
            os_image=info.text("OS Image"),
            kernel=info.text("Kernel Version"),
            runtime=info.text("Container Runtime Version"),
            conditions=[f"{key}={value}" for key, (value, _) in rows.items()],
        )
    ]


_NODE_ROW: Final = re.compile(
    r"\s+(\w+)\s+(True|False|Unknown)\s+(?:\w{3}, [^+-]+[+-]\d{4}\s+\w{3}, [^+-]+[+-]\d{4}\s+|\S+\s+\S+\s+)"
    r"(\S+)\s+(.*)$"
)


def _claim(root: Node, _kind: str, name: str, context: Context) -> list[Fact]:
    status = root.child("Status") or root.child("Name") or root
    return [
        context.fact(
            "claim",
            kube_words.kube_entity("persistentvolumeclaim", name),
            status.line,
            phase=root.text("Status"),
            storage_class=root.text("StorageClass"),
            volume=root.text("Volume"),
            capacity=kube_size(root.text("Capacity")),
            access_modes=root.text("Access Modes"),
            namespace=root.text("Namespace"),
            used_by=_texts(root, "Used By"),
        )
    ]


def _storage_class(root: Node, _kind: str, name: str, context: Context) -> list[Fact]:
    return [
        context.fact(
            "storage_class",
            kube_words.kube_entity("storageclass", name),
            (root.child("Name") or root).line,
            provisioner=root.text("Provisioner"),
            default=truth(root.text("IsDefaultClass")),
            reclaim_policy=root.text("ReclaimPolicy"),
            binding_mode=root.text("VolumeBindingMode"),
        )
    ]


def _object(root: Node, kind: str, name: str, context: Context) -> list[Fact]:
    """Services, ingresses, secrets, quotas and the rest: their fields as `key=value`."""
    data = [
        f"{node.key}={' '.join(node.texts())[:300]}" for node in root.children if node.key not in _OWN and node.texts()
    ]
    return [
        context.fact(
            "object",
            kube_words.kube_entity(kind, name),
            (root.child("Name") or root).line,
            type=kind,
            namespace=root.text("Namespace"),
            labels=_texts(root, "Labels"),
            exists=True,
            status=root.text("Status", "Phase"),
            reason=root.text("Reason"),
            message=root.text("Message"),
            selector=_texts(root, "Selector"),
            endpoints=_endpoints(root),
            ports=_texts(root, "Port"),
            data=data,
            **(kube_policy.described(root) if kind == "networkpolicy" else {}),
        )
    ]


def _endpoints(root: Node) -> list[str]:
    return [part for text in _texts(root, "Endpoints") for part in re.split(r",\s*", text)]


_OWN: Final = ("Name", "Namespace", "Labels", "Annotations", "Events", "Selector", "Status")
_READERS: Final[dict[str, Callable[[Node, str, str, Context], list[Fact]]]] = {
    "pod": _pod, "node": _node, "persistentvolumeclaim": _claim, "storageclass": _storage_class,
}  # fmt: skip


def _events(root: Node, kind: str, name: str, context: Context) -> list[Fact]:
    node = root.child("Events")
    found = (_event(line, kind, name, root.text("Namespace"), context) for line in (node.lines() if node else ()))
    return [fact for fact in found if fact is not None]


def _event(line: Line, kind: str, name: str, namespace: str, context: Context) -> Fact | None:
    match = _EVENT.match(line.text)
    if match is None:
        return None
    level, reason, age, component, message = match.groups()
    told = _AGE.match(age)
    return context.fact(
        "event",
        kube_words.kube_entity(kind, name),
        line,
        type=level,
        reason=reason,
        message=message.strip(),
        count=int(told[2]) if told and told[2] else 1,
        object=f"{kind}/{name}",
        component=component.strip(),
        namespace=namespace,
        age_seconds=duration(told[1]) if told else None,
    )


PARSERS: Final = (
    Parser("kubectl describe", parse, ("kubectl describe", "kubectl_describe", "oc describe", "k describe"),
           looks=re.compile(r"\AName:\s+\S+\n(?:Namespace|Labels|Roles|IsDefaultClass|StorageClass|Priority)",
           re.MULTILINE)),
)  # fmt: skip
