"""The code fingerprint: which code made a report."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

PACKAGES = (
    "domain",
    "analysis",
    "bundle",
    "report",
    "alerts",
    "store",
    "rag",
    "mcp_servers",
    "tools",
    "agents",
    "graph",
    "app",
)


@cache
def fingerprint() -> str:
    """The sha256 over all our modules, 16 hex digits of it."""
    whole = sha256()
    for package in PACKAGES:
        folder = files(package)
        for path in sorted(p for p in Path(str(folder)).rglob("*") if p.suffix in (".py", ".md", ".sql", ".toml")):
            whole.update(path.name.encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()[:16]
