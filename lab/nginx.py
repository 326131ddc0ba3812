"""A real nginx on the stage."""

from __future__ import annotations

from pathlib import Path

from lab.stage import LOGS, Stage, wait_for_port

CONF = "/srv/edge/nginx.conf"
HEAD = """worker_processes 1;
daemon off;
pid /run/nginx.pid;
error_log /var/log/nginx-error.log info;
events { worker_connections 256; }
http {
  access_log /var/log/nginx-access.log combined;
  keepalive_timeout 5s;
"""


def start(stage: Stage, servers: str, address: str, port: int) -> None:
    """nginx with these server blocks."""
    Path(CONF).parent.mkdir()
    configure(servers)
    for name in ("nginx-access.log", "nginx-error.log"):
        (LOGS / name).touch()
    stage.start("nginx", ["nginx", "-c", CONF])
    wait_for_port(address, port)


def configure(servers: str) -> None:
    """Write the configuration; it counts from the next SIGHUP."""
    Path(CONF).write_text(HEAD + servers + "}\n", encoding="utf-8")
