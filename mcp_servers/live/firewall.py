"""The packet filter's rules with their counters, where fishbone may read them."""

import os
import shutil
from typing import Final

from domain.facts import Fact
from mcp_servers.live.kernel import captured
from mcp_servers.live.watch import Watch

_LIST: Final = ("iptables", "-w", "2", "-L", "-n", "-v", "-x")


def rules(watch: Watch) -> list[Fact]:
    """The chains of the filter table. Only root may list them; who is not, or has no iptables, sees none."""
    if os.geteuid() != 0 or shutil.which(_LIST[0]) is None:
        return []
    return [fact for fact in captured(list(_LIST), watch) if fact.kind == "firewall"]
