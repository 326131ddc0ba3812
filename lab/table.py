"""The table of all faults for docs/lab.md: python -m lab.table."""

from __future__ import annotations

import inspect
import re

from lab.registry import faults, module

# What the source of a fault speaks of, and which program that is.
PROGRAMS = {
    r"\bDatabase\(": "Postgres",
    r"\bnginx\b": "nginx",
    r"redis\.start": "Redis",
    r"dnsmasq\.start": "dnsmasq",
    r"\bEngine\(": "Docker",
    r"iptables": "iptables",
    r"\btls\.issue": "openssl, curl",
    r"\.compile\(": "a program in C",
    r"\.js\"": "a service in Node",
    r"faketime": "faketime",
    r"start_(?:service|python|orders_api|edge_services)|\.py\"": "services in Python",
}


def programs(name: str) -> str:
    """The real programs that a fault is made of."""
    source = inspect.getsource(module(name))
    return ", ".join(dict.fromkeys(told for pattern, told in PROGRAMS.items() if re.search(pattern, source)))


def table() -> str:
    """One row a fault."""
    rows = ["| file | fault | bundle | what is seen first | made of |", "| --- | --- | --- | --- | --- |"]
    for name, scenario in faults().items():
        fault, title = scenario.expected.fault, scenario.alert.title
        rows.append(f"| {name} | `{fault}` | {scenario.folder} | {title} | {programs(name)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())
