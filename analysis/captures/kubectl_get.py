"""kubectl get: its tables (wide, headless, custom columns), its JSON and YAML, and kubectl top."""

import re
from collections.abc import Callable
from typing import Any, Final

import yaml

from analysis.captures import kube_words
from analysis.captures.columns import Row, aligned
from analysis.captures.context import Context, Line, Parser
from analysis.captures.jsons import documents
from analysis.captures.kube_objects import object_facts
from analysis.captures.units import cpus, duration, kube_size, number
from domain.facts import Fact

Cells = dict[str, str]
_RESTARTS: Final = re.compile(r"(\d+)(?: \((\S+) ago\))?")
_HEADLESS_POD: Final = re.compile(
    r"(?:(?P<NAMESPACE>\S+)\s+)?(?P<NAME>\S+)\s+(?P<READY>\d+/\d+)\s+(?P<STATUS>[A-Z][\w:/-]+)\s+"
    r"(?P<RESTARTS>\d+(?: \(\S+ ago\))?)\s+"
    r"(?P<AGE>\d[\ddhmsy]*)(?:\s+(?P<IP>\S+)\s+(?P<NODE>\S+)\s+\S+\s+\S+(?:\s+(?P<LABELS>\S+))?)?\s*$"
)
_HEADLESS_WORKLOAD: Final = re.compile(
    r"(?:(?P<NAMESPACE>\S+)\s+)?(?P<NAME>\S+)\s+(?P<READY>\d+/\d+)\s+(?P<UPDATED>\d+)\s+(?P<AVAILABLE>\d+)\s+(?P<AGE>\d[\ddhmsy]*)"
    r"(?:\s+(?P<CONTAINERS>\S+)\s+(?P<IMAGES>\S+)\s+(?P<SELECTOR>\S+)(?:\s+(?P<LABELS>\S+))?)?\s*$"
)
_HEADLESS_JOB: Final = re.compile(
    r"(?:(?P<NAMESPACE>\S+)\s+)?(?P<NAME>\S+)\s+(?P<STATUS>Failed|Complete|Running|"
    r"Suspended)\s+(?P<COMPLETIONS>\d+/\d+)\s+(?P<DURATION>\S+)\s+"
    r"(?P<AGE>\d\S*)(?:\s+(?P<CONTAINERS>\S+)\s+(?P<IMAGES>\S+)\s+(?P<SELECTOR>\S+)(?:\s+(?P<LABELS>\S+))?)?\s*$"
)
_TELLING: Final = (
    ("pod", {"READY", "RESTARTS"}), ("deployment", {"UP-TO-DATE"}), ("replicaset", {"DESIRED", "READY"}), ("cronjob",
    {"SCHEDULE"}),
    ("job", {"COMPLETIONS"}), ("node", {"ROLES", "VERSION"}), ("persistentvolumeclaim", {"VOLUME", "CAPACITY",
    "ACCESS MODES"}),
    ("persistentvolume", {"RECLAIM POLICY"}), ("storageclass", {"PROVISIONER"}), ("event", {"REASON", "OBJECT",
    "MESSAGE"}),
    ("service", {"CLUSTER-IP"}), ("ingress", {"HOSTS", "ADDRESS"}), ("horizontalpodautoscaler", {"MINPODS"}),
    ("endpoints", {"ENDPOINTS"}),
    ("serviceaccount", {"SECRETS"}),
)  # fmt: skip


def parse(text: str, context: Context) -> list[Fact]:
    """Every object that was listed."""
    found = documents(text) or _yaml(text)
    if found:
        return [fact for document in found for fact in object_facts(document, context)]
    lines = [line for line in context.lines(text) if line.text.strip()]
    if not lines:
        return []
    if message := re.search(r"^No resources found.*$|.*\(NotFound\): (\S+) \"(.+?)\" not found", text, re.MULTILINE):
        return _absent(message, lines, context)
    if re.match(r"(?:NAME|NAMESPACE|LAST SEEN|[A-Z][A-Z0-9_-]+ {2,}[A-Z])", lines[0].text):
        rows = list(aligned(lines))
        kind = _kind(rows, context)
        return [fact for row in rows for fact in _read(kind, row, context)]
    return [fact for line in lines for fact in _headless(line, context)]


def _yaml(text: str) -> list[Any]:
    if not re.search(r"^(?:- )?apiVersion:", text, re.MULTILINE):
        return []
    try:
        return [document for document in yaml.load_all(text, Loader=_LOADER) if document]
    except yaml.YAMLError:
        return []


_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _absent(message: re.Match[str], lines: list[Line], context: Context) -> list[Fact]:
    line = next((line for line in lines if message[0].strip() in line.text), lines[0])
    kind = message[1] or _asked(context) or "object"
    name = message[2] or str(context.arguments.get("name") or kind)
    return [
        context.fact(
            "object",
            kube_words.kube_entity(kind, name),
            line,
            type=kube_words.kind_of(kind),
            exists=False,
            message=line.text.strip(),
        )
    ]


def _asked(context: Context) -> str:
    words = context.command.plain.split()[2:3]
    return kube_words.kind_of(
        str(context.arguments.get("kind") or next(iter(words), "")).partition("/")[0].partition(",")[0]
    )


def _kind(rows: list[Row], context: Context) -> str:
    titles = set(rows[0].cells) if rows else set()
    return next((kind for kind, needed in _TELLING if needed <= titles), _asked(context) or "object")


def _read(kind: str, row: Row, context: Context) -> list[Fact]:
    """A name of several kinds (`kubectl get all`) carries its own kind."""
    cells = dict(row.cells)
    name = cells.get("NAME", "")
    if "/" in name:
        kind, _, cells["NAME"] = kube_words.kind_of(name.partition("/")[0]), "", name.partition("/")[2]
    if (not cells.get("NAME") and kind != "event") or cells.get("NAME") == "NAME":
        return []
    return [_READERS.get(kind, _workload if kind in kube_words.WORKLOADS else _object)(kind, cells, row.line, context)]


def _headless(line: Line, context: Context) -> list[Fact]:
    for kind, pattern in (("pod", _HEADLESS_POD), ("job", _HEADLESS_JOB), ("deployment", _HEADLESS_WORKLOAD)):
        if match := pattern.match(line.text.strip()):
            cells = {key: value or "" for key, value in match.groupdict().items()}
            return _read(kind, Row(line, cells), context)
    return []


def _age(cells: Cells) -> float | None:
    return duration(cells.get("AGE", ""))


def _labels(cells: Cells) -> list[str]:
    text = cells.get("LABELS", "")
    return [] if text in ("", "<none>") else text.split(",")


def _pod(_kind: str, cells: Cells, line: Line, context: Context) -> Fact:
    ready = kube_words.ready_of(cells.get("READY", ""))
    restarts = _RESTARTS.match(cells.get("RESTARTS", ""))
    status = kube_words.pod_status(cells["STATUS"]) if cells.get("STATUS") else {}
    return context.fact(
        "pod",
        kube_words.kube_entity("pod", cells["NAME"]),
        line,
        **status,
        namespace=_namespace(cells, context),
        labels=_labels(cells),
        ready=ready[0] == ready[1] if ready else None,
        restarts=int(restarts[1]) if restarts else None,
        node=cells.get("NODE"),
        addresses=[ip for ip in [cells.get("IP")] if ip and ip != "<none>"],
        age_seconds=_age(cells),
        owner=f"workload/{owner}" if (owner := kube_words.workload_of(cells["NAME"])) else None,
        deleting=True if cells.get("STATUS") == "Terminating" else None,
    )


def _namespace(cells: Cells, context: Context) -> str | None:
    told = (
        cells.get("NAMESPACE")
        or str(context.arguments.get("namespace") or "")
        or context.command.value("-n", "--namespace")
    )
    return told or None


def _workload(kind: str, cells: Cells, line: Line, context: Context) -> Fact:
    ready = kube_words.ready_of(cells.get("READY", "") or cells.get("COMPLETIONS", ""))
    desired = ready[1] if ready else number(cells.get("DESIRED", ""))
    done = ready[0] if ready else number(cells.get("READY", ""))
    job = kind in ("job", "cronjob")
    status = cells.get("STATUS", "")
    return context.fact(
        "workload",
        kube_words.kube_entity(kind, cells["NAME"]),
        line,
        type=kube_words.WORKLOADS[kind],
        namespace=_namespace(cells, context),
        desired=desired,
        ready_replicas=None if job else done,
        succeeded=done if job else None,
        labels=_labels(cells),
        updated=number(cells.get("UP-TO-DATE", cells.get("UPDATED", ""))),
        available=number(cells.get("AVAILABLE", "")),
        unavailable=desired - done if isinstance(desired, int) and isinstance(done, int) and not job else None,
        image=cells.get("IMAGES", "").split(",")[0],
        containers=[c for c in cells.get("CONTAINERS", "").split(",") if c],
        selector=[s for s in cells.get("SELECTOR", "").split(",") if s],
        schedule=cells.get("SCHEDULE"),
        age_seconds=_age(cells),
        reason=status if status not in kube_words.FINE else None,
        failed=1 if status == "Failed" else None,
    )


def _node(_kind: str, cells: Cells, line: Line, context: Context) -> Fact:
    status = cells.get("STATUS", "")
    return context.fact(
        "node",
        kube_words.kube_entity("node", cells["NAME"]),
        line,
        ready=status.split(",")[0] == "Ready",
        schedulable="SchedulingDisabled" not in status,
        reason=None if status == "Ready" else status,
        labels=_labels(cells),
        version=cells.get("VERSION"),
        os_image=cells.get("OS-IMAGE"),
        kernel=cells.get("KERNEL-VERSION"),
        runtime=cells.get("CONTAINER-RUNTIME"),
    )


def _claim(_kind: str, cells: Cells, line: Line, context: Context) -> Fact:
    return context.fact(
        "claim",
        kube_words.kube_entity("persistentvolumeclaim", cells["NAME"]),
        line,
        phase=cells.get("STATUS"),
        volume=cells.get("VOLUME"),
        storage_class=cells.get("STORAGECLASS"),
        capacity=kube_size(cells.get("CAPACITY", "")),
        access_modes=cells.get("ACCESS MODES"),
        namespace=_namespace(cells, context),
        age_seconds=_age(cells),
        used_by=cells.get("CLAIM"),
        reason=cells.get("REASON"),
    )


def _storage_class(_kind: str, cells: Cells, line: Line, context: Context) -> Fact:
    name, _, mark = cells["NAME"].partition(" ")
    return context.fact(
        "storage_class",
        kube_words.kube_entity("storageclass", name),
        line,
        provisioner=cells.get("PROVISIONER"),
        default="default" in mark,
        reclaim_policy=cells.get("RECLAIMPOLICY"),
        binding_mode=cells.get("VOLUMEBINDINGMODE"),
    )


def _event(_kind: str, cells: Cells, line: Line, context: Context) -> Fact:
    seen = re.match(r"(\S+?)(?: \(x(\d+) over (\S+)\))?$", cells.get("LAST SEEN") or cells.get("AGE", ""))
    target = cells.get("OBJECT") or f"{cells.get('KIND', '')}/{cells.get('NAME', '')}"
    moment = seen[1] if seen else ""
    count = int(seen[2]) if seen and seen[2] else number(cells.get("COUNT", "")) or 1
    return context.fact(
        "event",
        kube_words.object_entity(target),
        line,
        context.time(moment) if "T" in moment else None,
        type=cells.get("TYPE"),
        reason=cells.get("REASON"),
        message=cells.get("MESSAGE"),
        count=count,
        object=target,
        component=cells.get("SOURCE"),
        namespace=_namespace(cells, context),
        age_seconds=duration(moment),
    )


def _object(kind: str, cells: Cells, line: Line, context: Context) -> Fact:
    data = [
        f"{key.lower()}={value}"
        for key, value in cells.items()
        if key not in ("NAME", "NAMESPACE", "LABELS", "SELECTOR", "AGE")
    ]
    return context.fact(
        "object",
        kube_words.kube_entity(kind, cells["NAME"]),
        line,
        type=kind,
        exists=True,
        namespace=_namespace(cells, context),
        labels=_labels(cells),
        selector=[s for s in cells.get("SELECTOR", "").split(",") if s and s != "<none>"],
        data=data,
        endpoints=[e for e in cells.get("ENDPOINTS", "").split(",") if e and e != "<none>"],
        age_seconds=_age(cells),
        ports=[p for p in cells.get("PORT(S)", "").split(",") if p],
        status=cells.get("STATUS"),
    )


_READERS: Final[dict[str, Callable[[str, Cells, Line, Context], Fact]]] = {
    "pod": _pod, "node": _node, "persistentvolumeclaim": _claim, "persistentvolume": _claim,
    "storageclass": _storage_class, "event": _event,
}  # fmt: skip


def parse_top(text: str, context: Context) -> list[Fact]:
    """kubectl top pods|nodes: what each uses."""
    facts = []
    for row in aligned(context.lines(text), wide=False):
        cpu = cpus(row.cells.get("CPU(cores)", ""))
        used = kube_size(row.cells.get("MEMORY(bytes)", ""))
        name = row.cells.get("NAME", "")
        if used is None or not name:
            continue
        if "MEMORY%" in row.cells:
            facts.append(
                context.fact(
                    "memory",
                    kube_words.kube_entity("node", name),
                    row.line,
                    used=used,
                    available_percent=100 - float(number(row.cells["MEMORY%"].rstrip("%")) or 0),
                )
            )
        else:
            container = row.cells.get("POD")
            facts.append(
                context.fact(
                    "container",
                    kube_words.kube_entity("container" if container else "pod", name),
                    row.line,
                    memory_usage=used,
                    cpu_percent=None if cpu is None else round(cpu * 100, 1),
                    pod=container or name,
                )
            )
    return facts


PARSERS: Final = (
    Parser("kubectl get", parse,
           ("kubectl get", "oc get", "k get", "kubectl_find_resource", "kubectl_get_by_name",
           "kubectl_get_by_kind_in_namespace",
            "kubectl_get_by_kind_in_cluster", "kubectl_get_yaml", "kubectl_events", "kubectl events"),
           looks=re.compile(r'\A(?:NAMESPACE\s+)?NAME\s+(?:READY|STATUS|TYPE|PROVISIONER|SECRETS|COMPLETIONS|DESIRED)\s|'
                            r'\ALAST SEEN\s+TYPE\s+REASON|'
                      r'\A(?:- )?apiVersion:|\A\s*\{\s*"apiVersion"|\A\s*\{\s*"kind":')),
    Parser("kubectl top", parse_top, ("kubectl top", "kubectl_top_pods", "kubectl_top_nodes"),
           looks=re.compile(r"\A(?:NAMESPACE\s+)?(?:POD\s+)?NAME\s+CPU\(cores\)")),
)  # fmt: skip
