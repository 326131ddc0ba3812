"""A real dnsmasq on the stage: the resolver of all names that are not in /etc/hosts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lab.stage import Stage, wait_for

ADDRESS = "10.20.0.2"
RECORDS = Path("/srv/resolver/names")


def start(stage: Stage, zone: Mapping[str, str]) -> None:
    """dnsmasq with these names; SIGHUP makes it read them again."""
    RECORDS.parent.mkdir()
    publish(zone)
    stage.start(
        "resolver",
        [
            "dnsmasq",
            "--keep-in-foreground",
            "--conf-file=/dev/null",
            "--log-facility=/var/log/resolver.log",
            "--log-queries",
            f"--listen-address={ADDRESS}",
            "--bind-interfaces",
            "--no-resolv",
            "--no-hosts",
            f"--addn-hosts={RECORDS}",
            "--local=/shop.internal/",
            "--user=root",
            "--cache-size=0",
        ],
    )
    first = next(iter(zone))
    wait_for(lambda: first in stage.run(f"getent hosts {first}"), "the resolver")


def publish(zone: Mapping[str, str]) -> None:
    """Write the names; they count from the next SIGHUP."""
    RECORDS.write_text("".join(f"{address} {name}\n" for name, address in zone.items()), encoding="utf-8")
