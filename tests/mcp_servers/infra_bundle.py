"""A small bundle on disk for the servers of the infra agent, written as recorders write it."""

import json
from collections.abc import Mapping
from pathlib import Path

from bundle.bundle import Bundle, open_bundle

INSPECT = {
    "Id": "9f2c4f6b1d0e" + "0" * 52,
    "Name": "/shop-api",
    "RestartCount": 4,
    "State": {"Status": "restarting", "Running": True, "OOMKilled": True, "ExitCode": 137, "Error": ""},
    "Config": {
        "Image": "shop/api:2.1",
        "Env": ["DATABASE_URL=postgres://shop:hunter2@shop-db:5432/shop"],
        "Labels": {"com.docker.compose.service": "api", "com.docker.compose.depends_on": "db:service_started:false"},
    },
    "HostConfig": {"Memory": 536870912},
    "NetworkSettings": {"Networks": {"shop_default": {"IPAddress": "172.20.0.5"}}},
}
EVENTS = [
    {
        "Type": "container",
        "Action": "oom",
        "Actor": {"ID": INSPECT["Id"], "Attributes": {"name": "shop-api"}},
        "time": 1767261600,
    },
    {
        "Type": "container",
        "Action": "die",
        "Actor": {"ID": INSPECT["Id"], "Attributes": {"name": "shop-api", "exitCode": "137"}},
        "time": 1767261601,
    },
    {
        "Type": "container",
        "Action": "start",
        "Actor": {"ID": INSPECT["Id"], "Attributes": {"name": "shop-api"}},
        "time": 1767265300,
    },
]
STATS = [
    {
        "Name": "shop-api",
        "MemUsage": "508MiB / 512MiB",
        "CPUPerc": "12.5%",
        "PIDs": "31",
        "time": "2026-01-01T10:00:00Z",
    }
]
FACTS = """\
$ df -h /
Filesystem      Size  Used Avail Use% Mounted on
/dev/sda1        40G   38G  1.1G  98% /
$ some-unknown-tool --now
42
"""


def infra_bundle(folder: Path, extra: Mapping[str, str] | None = None) -> Bundle:
    """The bundle, opened; its window ends at 10:30, one event comes after it."""
    files = {
        "incident.yaml": "schema: fishbone/bundle@1\nid: shop\ntitle: api answers 502\nfired_at: 2026-01-01T10:05:00Z\n"
        "window: {start: 2026-01-01T09:30:00Z, end: 2026-01-01T10:30:00Z}\ntimezone: UTC\n",
        "alert.json": json.dumps({"status": "firing", "alerts": []}),
        "docker/containers.json": json.dumps([INSPECT]),
        "docker/events.jsonl": "\n".join(json.dumps(event) for event in EVENTS) + "\n",
        "docker/stats.jsonl": "\n".join(json.dumps(sample) for sample in STATS) + "\n",
        "network/probes.json": json.dumps(
            [{"type": "tcp", "target": "shop-db:5432", "ok": False, "error": "connection refused"}]
        ),
        "artifacts/facts.txt": FACTS,
        **(extra or {}),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return open_bundle(folder)
