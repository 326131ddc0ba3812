"""What an alert is about, as entities, best first."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from domain.alert import Alert
from domain.entity import entity

# The keys that senders use, the nearest to the fault first. What runs comes before what it runs on.
KEYS: Final[tuple[tuple[str, str], ...]] = (
    ("container", "container container_name docker_container container_label_com_docker_compose_service"),
    ("pod", "pod pod_name kube_pod kubernetes_pod_name k8s_pod_name podname"),
    ("database", "db_instance_identifier dbinstanceidentifier db_instance database datname dbname rds_instance "
     "db_cluster_identifier postgresql_database"),
    ("queue", "queue queue_name queuename topic consumergroup consumer_group"),
    ("certificate", "certificate cert_name subject_cn certificate_name"),
    ("service", "deployment kube_deployment deployment_name statefulset kube_stateful_set daemonset kube_daemon_set "
     "replicaset cronjob kube_cronjob job_name kube_job workload workload_name"),
    ("volume", "persistentvolumeclaim pvc persistentvolume volume volumename"),
    ("disk", "mountpoint mount device disk filesystem"),
    ("service", "service service_name servicename kube_service app application app_name component upstream "
     "monitorfriendlyname check_name function functionname"),
    ("host", "host hostname host_name node nodename node_name kube_node server instance instance_id instanceid "
     "resourcename resource_name device_name address ip"),
    ("service", "job exported_job"),
)  # fmt: skip
_MACHINE: Final = ("host", "hostname", "host_name", "node", "nodename", "node_name", "kube_node", "server_name")
_IN_ORDER: Final = tuple((kind, key) for kind, keys in KEYS for key in keys.split())
_LABELS_ONLY: Final = ("topic", "job", "device", "disk", "mount", "volume", "component", "app", "server", "instance")
_NOTHING: Final = ("unknown", "none", "null", "n/a", "-", "*", "")
_TEMPLATE: Final = re.compile(r"\$[A-Z_]+|\{\{.*\}\}")
_LOCAL: Final = ("disk", "volume", "change", "query", "user")  # kinds whose names are not one thing everywhere
_PORT: Final = re.compile(r"(?<=\]):\d{2,5}$|^(?P<host>[^:/]+):\d{2,5}$")
_WATCHERS: Final = re.compile(r"kube-state-metrics|node[-_]exporter|cadvisor|blackbox|^rds$|^kubelet$")


def entities(alert: Alert) -> list[str]:
    """The entities that labels and annotations name, best first; who only measures comes last."""
    found = list(dict.fromkeys(_named(alert)))
    return sorted(found, key=lambda of: bool(_WATCHERS.search(of.partition(":")[2])))


def machines(alert: Alert) -> list[str]:
    """The machines that the alert says it is about, in labels that name nothing else."""
    labels = {_key(key): value for key, value in alert.labels.items()}
    return list(dict.fromkeys(name for key in _MACHINE if (name := _name("host", labels.get(key, "")))))


def subjects(alert: Alert) -> list[str]:
    """Names of what the alert is about, in lower case, to compare alerts with: not what has its name elsewhere too (`/`
    is a disk of every host), nor who only measures, nor a scrape job where something better is told."""
    jobs = {alert.labels.get(key, "") for key in ("job", "exported_job")}
    found = [of.partition(":") for of in entities(alert)]
    names = [name for kind, _, name in found if kind not in _LOCAL and not _WATCHERS.search(name)]
    return list(dict.fromkeys(name.lower() for name in [one for one in names if one not in jobs] or names))


def _named(alert: Alert) -> Iterator[str]:
    labels = {_key(key): value for key, value in alert.labels.items()}
    notes = {_key(key): value for key, value in alert.annotations.items()}
    for kind, key in _IN_ORDER:
        if key in labels or key in notes:
            for value in (labels.get(key), None if key in _LABELS_ONLY else notes.get(key)):
                if value and (name := _name(kind, value)):
                    yield entity(kind, name)


@lru_cache(maxsize=4096)
def _key(key: str) -> str:
    return key.lower().replace("-", "_").replace(".", "_").removeprefix("label_")


def _name(kind: str, value: str) -> str:
    """The value as a name; a host without the port of the exporter that measured it."""
    name = value.strip().lstrip(",;|")
    if name.lower() in _NOTHING or _TEMPLATE.search(name):
        return ""
    return _PORT.sub(lambda m: m["host"] or "", name) if kind == "host" else name
