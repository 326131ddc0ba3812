"""The words of Kubernetes: which entity a kind of object is, and how its states read."""

import re
from typing import Any, Final

from analysis.captures.context import safe_entity

WORKLOADS: Final = {
    "deployment": "Deployment", "deployments": "Deployment", "deploy": "Deployment", "statefulset": "StatefulSet",
    "statefulsets": "StatefulSet", "sts": "StatefulSet", "daemonset": "DaemonSet", "daemonsets": "DaemonSet",
    "ds": "DaemonSet", "replicaset": "ReplicaSet", "replicasets": "ReplicaSet", "rs": "ReplicaSet", "job": "Job",
    "jobs": "Job", "cronjob": "CronJob", "cronjobs": "CronJob", "cj": "CronJob",
    "replicationcontroller": "ReplicationController",
}  # fmt: skip
ALIASES: Final = {
    "po": "pod", "pods": "pod", "no": "node", "nodes": "node", "pvc": "persistentvolumeclaim", "svc": "service",
    "ev": "event",
    "persistentvolumeclaims": "persistentvolumeclaim", "pv": "persistentvolume",
    "persistentvolumes": "persistentvolume",
    "services": "service", "ing": "ingress", "ingresses": "ingress", "sc": "storageclass",
    "storageclasses": "storageclass",
    "ns": "namespace", "namespaces": "namespace", "sa": "serviceaccount", "serviceaccounts": "serviceaccount",
    "cm": "configmap", "configmaps": "configmap", "secrets": "secret", "ep": "endpoints", "events": "event",
    "netpol": "networkpolicy", "networkpolicies": "networkpolicy", "hpa": "horizontalpodautoscaler",
    "horizontalpodautoscalers": "horizontalpodautoscaler", "quota": "resourcequota", "resourcequotas": "resourcequota",
    "csr": "certificatesigningrequest", "certificates": "certificate", "endpointslices": "endpointslice",
}  # fmt: skip
_ENTITIES: Final = {
    "pod": "pod", "node": "host", "persistentvolumeclaim": "volume", "persistentvolume": "volume",
    "storageclass": "volume",
    "configmap": "volume", "secret": "volume", "serviceaccount": "user", "role": "user", "rolebinding": "user",
    "clusterrole": "user", "clusterrolebinding": "user", "ingress": "network", "networkpolicy": "network",
    "certificate": "certificate", "certificatesigningrequest": "certificate", "container": "container",
}  # fmt: skip
# Generated names have no vowels; recorders that replace names keep the shape, but not always the alphabet.
_HASH: Final = re.compile(r"(.+?)-(?:[a-f0-9]{8,10}|[b-df-hj-np-tv-z2-9]{8,10})-[a-z0-9]{5}")
_TAILED: Final = re.compile(r"(.+)-(?:[b-df-hj-np-tv-xz24-9]{5}|(?=[a-z]*\d)[a-z0-9]{5}|\d{1,3})")
PHASES: Final = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
FINE: Final = ("Running", "Completed", "Succeeded", "Active", "Bound", "Ready", "Complete", "Available")


def kind_of(word: str) -> str:
    """`po`, `Pods`, `deployments.apps` -> `pod`, `pod`, `deployment`: lower case, singular."""
    word = word.lower().partition(".")[0]
    if word in WORKLOADS:
        return WORKLOADS[word].lower()
    return ALIASES.get(word, word)


def kube_entity(kind: str, name: str) -> str:
    """The entity of an object; workloads and services are services, a claim is a volume, a node a host."""
    return safe_entity(_ENTITIES.get(kind_of(kind), "service"), name)


def workload_of(pod: str) -> str:
    """The workload's name in a pod's name, as far as its generated tail tells; else empty."""
    match = _HASH.fullmatch(pod) or _TAILED.fullmatch(pod)
    return match[1] if match else ""


def object_entity(reference: str) -> str:
    """`Pod/web-1`, `pod/web-1`, `Node/ip-1` -> the entity."""
    kind, _, name = reference.partition("/")
    return kube_entity(kind, name) if name else safe_entity("service", reference)


def pod_status(status: str) -> dict[str, Any]:
    """What the STATUS column of kubectl get pods says: the phase, and the reason where it is none."""
    phase = status if status in PHASES else "Succeeded" if status == "Completed" else None
    return {"status": status, "phase": phase, "reason": None if status in (*FINE, *PHASES) else status}


def ready_of(text: str) -> tuple[int, int] | None:
    """`1/2` -> (1, 2)."""
    match = re.fullmatch(r"(\d+)/(\d+)", text.strip())
    return (int(match[1]), int(match[2])) if match else None
