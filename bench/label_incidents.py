"""Labels for bench/grouping.py of our own incidents: written again when the lab has recorded them anew.

    python -m bench.label_incidents [--show]

The rules were made by reading the logs: which statement of the program, of Postgres, of dnsmasq or of nginx wrote a
line. They know these programs and nothing of the miner. With --show every group is printed with its size and one line,
to be read. The labels of the visible cases were made once, in the same way; of those only line numbers are kept here.
"""

import argparse
import gzip
import hashlib
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bench.grouping import LABELS

ROOT = Path(__file__).parents[1]
LINES = 200
PLAIN = (
    "query[A]", "query[AAAA]", "is NXDOMAIN", "is NODATA", "config ", "]: /srv", "using only", "started",
    "compile time",
    "warning: no upstream", "read /", "cached ", "reply ", "forwarded ",
)  # fmt: skip


def request(line: str) -> str | None:
    """Method and status of a request."""
    found = re.search(r'"([A-Z]+) [^"]*" (\d{3})', line)
    return f"{found[1]} {found[2]}" if found else None


def of_app(line: str) -> str:
    """The lab's own programs: requests, failures with a stack, and a few plain words."""
    told = request(line) if "agent=" in line else None
    failed = re.search(r"(?:ERROR|WARNING) \[[\w-]+\] ([A-Z]+) \S+ failed: (\w+)", line)
    if told or failed:
        return told or (f"failed {failed[1]} {failed[2]}" if failed else "")
    if re.match(r'\s+File "', line):
        return "frame"
    if re.fullmatch(r"\s+[\^~]+\s*", line):
        return "carets"
    return without_numbers(re.sub(r"^[\d-]+ [\d:,]+ ", "", line))


def of_postgres(line: str) -> str:
    """Postgres: severity and message; of statements the shape."""
    found = re.match(r"[\d-]+ [\d:.]+ UTC \[\d+\] (?:\S+@\S+ )?([A-Z]+):  (.*)$", line)
    if not found:
        return without_numbers(line)
    for start in ("Parameters:", "Process holding", "Processes holding", "parameters:"):
        if found[2].startswith(start):
            return start.lower()
    return f"{found[1]} {without_numbers(re.sub(r'^execute [^ ]+:', 'execute:', found[2]))}"


def of_dnsmasq(line: str) -> str:
    """dnsmasq: the verb."""
    return next((words for words in PLAIN if words in line), line)


def of_nginx(line: str) -> str:
    """An access log."""
    return request(line) or line


def without_numbers(text: str) -> str:
    """The text with one sign for each number and quoted value."""
    flat = re.sub(r"\$?\b\d[\w.:-]*|\b[A-Z]+-?\d+\b|'[^']*'|\"[^\"]*\"", "#", text.strip())
    return re.sub(r"(?:#[-: ,]*)+", "#", flat)


SOURCES: tuple[tuple[str, Callable[[str], str], int], ...] = (
    ("orders-api-slow/logs/var/log/orders-db.log.gz", of_postgres, 2),
    ("stock-updates-lost/logs/var/log/orders-db.log.gz", of_postgres, 4),
    ("checkout-errors/logs/var/log/checkout-api.log.gz", of_app, 2),
    ("checkout-errors/logs/var/log/resolver.log.gz", of_dnsmasq, 3),
    ("cart-saves-fail/logs/var/log/cart-api.log.gz", of_app, 4),
    ("invoice-batches-fail/logs/container/invoice-worker.log.gz", of_app, 2),
    ("seats-503/logs/var/log/seat-api.log.gz", of_app, 7),
    ("thumbnails-502/logs/var/log/nginx-access.log.gz", of_nginx, 1),
)


def main() -> None:
    """Write one file a source."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    show = parser.parse_args().show
    for old in LABELS.glob("incidents_*.csv"):
        old.unlink()
    for path, rule, stride in SOURCES:
        write(path, rule, stride, show)


def write(path: str, rule: Callable[[str], str], stride: int, show: bool) -> None:
    """The labels of 200 lines, spread over the source."""
    raw = (ROOT / "incidents" / path).read_bytes()
    lines = gzip.decompress(raw).decode("utf-8", "replace").split("\n")
    chosen = [at for at in range(0, len(lines), stride) if lines[at].strip()][:LINES]
    groups = {at: rule(lines[at]) for at in chosen}
    numbers = {group: n for n, group in enumerate(dict.fromkeys(groups.values()), 1)}
    rows = "".join(f"{at + 1},{numbers[group]}\n" for at, group in groups.items())
    head = f"# incidents/{path} sha256 {hashlib.sha256(raw).hexdigest()}\nline,group\n"
    name = path.replace("/logs/", "/").replace("/", "_").removesuffix(".log.gz")
    (LABELS / f"incidents_{name}.csv").write_text(head + rows, encoding="utf-8")
    print(f"{path}: {len(chosen)} lines, {len(numbers)} groups")
    for group, count in Counter(groups.values()).most_common() if show else ():
        print(f"  {count:>4}  {next(lines[at] for at in chosen if groups[at] == group)[:150]}")


if __name__ == "__main__":
    main()
