"""Objects of the Kubernetes API as JSON or YAML: kubectl get -o json|yaml of any kind, and manifests."""

from collections.abc import Callable
from typing import Any, Final

from analysis.captures import kube_policy, kube_words
from analysis.captures.context import Context, first
from analysis.captures.jsons import Json, at, mapping, objects, pairs, sequence, words
from analysis.captures.units import cpus, kube_size
from domain.facts import Fact

Document = dict[str, Json]


def object_facts(document: Json, context: Context) -> list[Fact]:
    """Facts of one object, or of the items of a list."""
    if not isinstance(document, dict):
        return []
    if isinstance(document.get("items"), list):
        kind = str(document.get("kind") or "").removesuffix("List")
        items = [{"kind": kind, **item} for item in objects(document, "items")]
        return [fact for item in items for fact in object_facts(item, context)]
    kind = kube_words.kind_of(str(document.get("kind") or ""))
    if not kind or not mapping(document, "metadata"):
        return []
    read = _READERS.get(kind, _workload if kind in kube_words.WORKLOADS else _object)
    return read(document, kind, context)


def _common(document: Document) -> dict[str, Any]:
    owners = objects(document, "metadata", "ownerReferences")
    return {
        "namespace": at(document, "metadata", "namespace"),
        "labels": pairs(at(document, "metadata", "labels")),
        "owner": next((f"{owner.get('kind')}/{owner.get('name')}" for owner in owners), None),
    }


def _name(document: Document) -> str:
    return str(at(document, "metadata", "name") or "")


def _pod(document: Document, _kind: str, context: Context) -> list[Fact]:
    spec, status, name = mapping(document, "spec"), mapping(document, "status"), _name(document)
    states = {
        str(s.get("name")): s for key in ("initContainerStatuses", "containerStatuses") for s in objects(status, key)
    }
    parts = [
        _container(part, states.get(str(part.get("name")), {}), name, document, init, context)
        for key, init in (("initContainers", True), ("containers", False))
        for part in objects(spec, key)
    ]
    conditions = objects(status, "conditions")
    reason = status.get("reason") or first(
        p.attributes.get("reason")
        for p in parts
        if p.attributes.get("state") != "running" and p.attributes.get("reason") != "Completed"
    )
    volumes = objects(spec, "volumes")
    pod = context.fact(
        "pod",
        kube_words.kube_entity("pod", name),
        None,
        **_common(document),
        phase=status.get("phase"),
        reason=reason,
        status=reason or status.get("phase"),
        message=status.get("message") or first(c.get("message") for c in conditions),
        ready=_condition(conditions, "Ready"),
        scheduled=_condition(conditions, "PodScheduled"),
        conditions=_conditions(conditions),
        restarts=sum(int(state.get("restartCount") or 0) for state in states.values()),
        qos=status.get("qosClass"),
        node=spec.get("nodeName"),
        addresses=[a for a in [status.get("podIP")] if a],
        containers=[str(p.get("name")) for p in objects(spec, "containers")],
        volumes=[str(volume.get("name")) for volume in volumes],
        claims=[str(claim) for v in volumes if (claim := at(v, "persistentVolumeClaim", "claimName"))],
        node_selector=pairs(spec.get("nodeSelector")),
        service_account=spec.get("serviceAccountName"),
        started_at=status.get("startTime"),
        tolerations=[f"{t.get('key', '*')}:{t.get('effect', '*')}" for t in objects(spec, "tolerations")],
        priority=spec.get("priority"),
        deleting=True if at(document, "metadata", "deletionTimestamp") else None,
        host_network=spec.get("hostNetwork"),
    )
    return [pod, *parts]


def _container(part: Document, state: Document, pod: str, document: Document, init: bool, context: Context) -> Fact:
    now, now_detail = _state(mapping(state, "state"))
    before, before_detail = _state(mapping(state, "lastState"))
    reasons = (now_detail.get("reason"), before_detail.get("reason"))
    return context.fact(
        "container",
        kube_words.kube_entity("container", str(part.get("name") or "")),
        None,
        **_spec(part),
        state=now,
        reason=reasons[0],
        error=now_detail.get("message") or before_detail.get("message"),
        exit_code=now_detail.get("exitCode"),
        started_at=now_detail.get("startedAt"),
        finished_at=now_detail.get("finishedAt") or before_detail.get("finishedAt"),
        last_state=before,
        last_reason=reasons[1],
        last_exit_code=before_detail.get("exitCode"),
        oom_killed="OOMKilled" in reasons if state else None,
        ready=state.get("ready"),
        restart_count=state.get("restartCount"),
        image_id=state.get("imageID"),
        id=str(state.get("containerID") or "").rpartition("//")[2],
        pod=pod,
        namespace=at(document, "metadata", "namespace"),
        init=init or None,
    )


def _state(state: Document) -> tuple[str | None, Document]:
    return next(((str(name), detail if isinstance(detail, dict) else {}) for name, detail in state.items()), (None, {}))


def _spec(part: Document) -> dict[str, Any]:
    limits, requests = mapping(part, "resources", "limits"), mapping(part, "resources", "requests")
    return {
        "image": part.get("image"),
        "command": words(part.get("command")) + words(part.get("args")),
        "env": _env(part),
        "memory_limit": kube_size(str(limits.get("memory", ""))),
        "cpu_limit": cpus(str(limits.get("cpu", ""))),
        "memory_request": kube_size(str(requests.get("memory", ""))),
        "cpu_request": cpus(str(requests.get("cpu", ""))),
        "ports": [f"{port.get('containerPort')}/{port.get('protocol', 'TCP')}" for port in objects(part, "ports")],
        "mounts": [
            f"{m.get('name')}:{m.get('mountPath')}:{'ro' if m.get('readOnly') else 'rw'}"
            for m in objects(part, "volumeMounts")
        ],
        "probes": [
            f"{kind}: {_probe(mapping(part, f'{kind}Probe'))}"
            for kind in ("liveness", "readiness", "startup")
            if part.get(f"{kind}Probe")
        ],
        "privileged": at(part, "securityContext", "privileged"),
    }


def _env(part: Document) -> list[str]:
    found = []
    for item in objects(part, "env"):
        source = mapping(item, "valueFrom", "secretKeyRef") or mapping(item, "valueFrom", "configMapKeyRef")
        value = f"<{source.get('name')}/{source.get('key')}>" if source else item.get("value", "")
        found.append(f"{item.get('name')}={value}")
    return found


def _probe(probe: Document) -> str:
    """As kubectl describe writes it: `http-get :8080/healthz delay=0s timeout=1s period=10s #failure=3`."""
    get, command = mapping(probe, "httpGet"), words(at(probe, "exec", "command"))
    what = (
        f"http-get :{get.get('port')}{get.get('path', '')}" if get else f"exec {command}" if command else "tcp-socket"
    )
    if (port := at(probe, "tcpSocket", "port")) is not None:
        what = f"tcp-socket :{port}"
    return (
        f"{what} delay={probe.get('initialDelaySeconds', 0)}s timeout={probe.get('timeoutSeconds', 1)}s "
        f"period={probe.get('periodSeconds', 10)}s #failure={probe.get('failureThreshold', 3)}"
    )


def _condition(conditions: list[Document], name: str) -> bool | None:
    told = next((str(c.get("status")) for c in conditions if c.get("type") == name), None)
    return None if told not in ("True", "False") else told == "True"


def _conditions(conditions: list[Document]) -> list[str]:
    return [f"{c.get('type')}={c.get('status')}" + (f" {c['reason']}" if c.get("reason") else "") for c in conditions]


def _workload(document: Document, kind: str, context: Context) -> list[Fact]:
    spec, status = mapping(document, "spec"), mapping(document, "status")
    template = mapping(spec, "jobTemplate", "spec", "template") or mapping(spec, "template")
    parts = [_spec(part) | {"name": part.get("name")} for part in objects(template, "spec", "containers")]
    conditions = objects(status, "conditions")
    bad = next(
        (c for c in conditions if (c.get("status") == "True") == (c.get("type") in ("ReplicaFailure", "Failed"))), {}
    )
    return [
        context.fact(
            "workload",
            kube_words.kube_entity(kind, _name(document)),
            None,
            **_common(document),
            type=kube_words.WORKLOADS[kind],
            desired=first((spec.get("replicas"), status.get("desiredNumberScheduled"), spec.get("completions"))),
            ready_replicas=first(
                (status.get("readyReplicas"), status.get("numberReady"), 0 if spec.get("replicas") else None)
            ),
            available=first((status.get("availableReplicas"), status.get("numberAvailable"))),
            updated=status.get("updatedReplicas"),
            unavailable=first((status.get("unavailableReplicas"), status.get("numberUnavailable"))),
            succeeded=status.get("succeeded"),
            failed=status.get("failed"),
            conditions=_conditions(conditions),
            reason=bad.get("reason"),
            message=bad.get("message"),
            containers=[str(part["name"]) for part in parts],
            image=first(part["image"] for part in parts),
            strategy=at(spec, "strategy", "type") or at(spec, "updateStrategy", "type"),
            selector=pairs(at(spec, "selector", "matchLabels")),
            backoff_limit=spec.get("backoffLimit"),
            schedule=spec.get("schedule"),
            env=[item for part in parts for item in part["env"]],
            probes=[item for part in parts for item in part["probes"]],
            memory_limit=first(part["memory_limit"] for part in parts),
            cpu_limit=first(part["cpu_limit"] for part in parts),
            service_account=at(template, "spec", "serviceAccountName"),
        )
    ]


def _node(document: Document, _kind: str, context: Context) -> list[Fact]:
    spec, status = mapping(document, "spec"), mapping(document, "status")
    conditions, info = objects(status, "conditions"), mapping(status, "nodeInfo")
    bad = next((c for c in conditions if (c.get("status") == "True") != (c.get("type") == "Ready")), {})
    return [
        context.fact(
            "node",
            kube_words.kube_entity("node", _name(document)),
            None,
            labels=pairs(at(document, "metadata", "labels")),
            ready=_condition(conditions, "Ready") or False,
            reason=bad.get("reason"),
            message=bad.get("message"),
            memory_pressure=_condition(conditions, "MemoryPressure"),
            disk_pressure=_condition(conditions, "DiskPressure"),
            pid_pressure=_condition(conditions, "PIDPressure"),
            network_unavailable=_condition(conditions, "NetworkUnavailable"),
            schedulable=not spec.get("unschedulable"),
            conditions=_conditions(conditions),
            version=info.get("kubeletVersion"),
            taints=[f"{t.get('key')}={t.get('value', '')}:{t.get('effect')}" for t in objects(spec, "taints")],
            cpu=cpus(str(at(status, "capacity", "cpu") or "")),
            memory=kube_size(str(at(status, "capacity", "memory") or "")),
            os_image=info.get("osImage"),
            kernel=info.get("kernelVersion"),
            runtime=info.get("containerRuntimeVersion"),
        )
    ]


def _claim(document: Document, kind: str, context: Context) -> list[Fact]:
    spec, status = mapping(document, "spec"), mapping(document, "status")
    return [
        context.fact(
            "claim",
            kube_words.kube_entity(kind, _name(document)),
            None,
            namespace=at(document, "metadata", "namespace"),
            phase=status.get("phase"),
            storage_class=spec.get("storageClassName"),
            volume=spec.get("volumeName"),
            capacity=kube_size(
                str(at(status, "capacity", "storage") or at(spec, "resources", "requests", "storage") or "")
            ),
            access_modes=",".join(words(spec.get("accessModes"))),
            reason=status.get("reason"),
            message=status.get("message"),
        )
    ]


def _storage_class(document: Document, kind: str, context: Context) -> list[Fact]:
    default = at(document, "metadata", "annotations", "storageclass.kubernetes.io/is-default-class")
    return [
        context.fact(
            "storage_class",
            kube_words.kube_entity(kind, _name(document)),
            None,
            provisioner=document.get("provisioner"),
            default=default == "true",
            reclaim_policy=document.get("reclaimPolicy"),
            binding_mode=document.get("volumeBindingMode"),
        )
    ]


def _event(document: Document, _kind: str, context: Context) -> list[Fact]:
    target = mapping(document, "involvedObject") or mapping(document, "regarding")
    moment = first(
        (
            document.get("lastTimestamp"),
            at(document, "series", "lastObservedTime"),
            document.get("eventTime"),
            at(document, "metadata", "creationTimestamp"),
        )
    )
    name, kind = str(target.get("name") or _name(document)), str(target.get("kind") or "")
    return [
        context.fact(
            "event",
            kube_words.kube_entity(kind, name),
            None,
            context.time(moment),
            type=document.get("type"),
            reason=document.get("reason"),
            message=document.get("message") or document.get("note"),
            count=document.get("count") or at(document, "series", "count") or 1,
            object=f"{kind}/{name}",
            first_at=document.get("firstTimestamp"),
            component=at(document, "source", "component") or document.get("reportingComponent"),
            namespace=target.get("namespace"),
            action=document.get("action"),
        )
    ]


def _object(document: Document, kind: str, context: Context) -> list[Fact]:
    spec, data = mapping(document, "spec"), mapping(document, "data")
    secret = kind == "secret"
    addresses = [str(a.get("ip")) for subset in objects(document, "subsets") for a in objects(subset, "addresses")]
    return [
        context.fact(
            "object",
            kube_words.kube_entity(kind, _name(document)),
            None,
            **_common(document),
            type=kind,
            exists=True,
            status=at(document, "status", "phase"),
            data=sorted(data) if secret else [f"{k}={str(v)[:500]}" for k, v in sorted(data.items())],
            selector=pairs(spec.get("selector")),
            endpoints=addresses or [str(a) for a in sequence(document, "endpoints") if isinstance(a, str)],
            ports=[
                f"{p.get('port')}->{p.get('targetPort', p.get('port'))}/{p.get('protocol', 'TCP')}"
                for p in objects(spec, "ports")
            ],
            **(kube_policy.declared(document) if kind == "networkpolicy" else {}),
        )
    ]


_READERS: Final[dict[str, Callable[[Document, str, Context], list[Fact]]]] = {
    "pod": _pod, "node": _node, "persistentvolumeclaim": _claim, "storageclass": _storage_class, "event": _event,
}  # fmt: skip
