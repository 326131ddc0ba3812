"""From Prometheus' labels to an entity, and to a name that tells the series of one metric apart."""

import re
from collections.abc import Mapping
from typing import Final

_ENTITIES: Final = (
    "container", "name", "pod", "statefulset", "deployment", "service", "service_name", "app", "application",
    "job_name", "node", "nodename",
)  # fmt: skip
_NAMELESS: Final = ("", "POD", "/")
_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]", "0.0.0.0")
_HOST_METRICS: Final = re.compile(r"^(?:node|windows|process|up$|scrape|machine)")
_DROPPED: Final = frozenset({"__name__", "job", "instance", "namespace", "id", "image", "endpoint", "prometheus"})
_LONGEST: Final = 200


def entity_of(labels: Mapping[str, str], host: str) -> str:
    """Whose series it is, as bare as the source names it: the container, pod, service or host; else the job."""
    if not _HOST_METRICS.match(labels.get("__name__", "")):
        for label in _ENTITIES:
            if labels.get(label, "") not in _NAMELESS:
                return labels[label].lstrip("/")
    instance = labels.get("instance", "")
    bare = re.sub(r":\d+$", "", instance)
    if bare in _LOOPBACK:
        is_host = _HOST_METRICS.match(labels.get("__name__", "")) is not None
        return host if is_host or not labels.get("job") else labels["job"]
    return bare or labels.get("job") or host


def metric_of(labels: Mapping[str, str], entity: str) -> str:
    """The metric with the labels that the entity does not already tell."""
    told = sorted((k, v) for k, v in labels.items() if k not in _DROPPED and v != entity and v)
    inside = ",".join(f'{name}="{value}"' for name, value in told)
    return f"{labels.get('__name__', '')}{{{inside}}}"[:_LONGEST] if inside else labels.get("__name__", "")
