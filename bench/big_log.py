"""A log of a gigabyte in a bundle: how long a search takes, beside ripgrep on the same file, and how much memory.

    python -m bench.big_log [--gb 1.0] [--runs 3]

The log is made here: lines of a web service at 13 a second, with one kind of error in each ten thousand. Every figure
is the best of the runs, after one that fills the page cache, so that what else the machine does counts least. The
memory is that of one process which does nothing but the search, over that of one which only opens the bundle.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from analysis.signatures import text_signatures
from bundle.bundle import open_bundle
from mcp_servers.log_match import OPEN, Wanted, match
from mcp_servers.log_search import Filter, search
from mcp_servers.log_source import LogsSource
from mcp_servers.recorded.logs import RecordedLogs
from rag.runbooks import load

RUNBOOKS = Path(__file__).parents[1] / "runbooks"
NAME = "logs/web.log"
GREP, TAIL = "upstream timed out .* while reading", 50
INCIDENT = """\
schema: fishbone/bundle@1
id: big
title: requests fail
fired_at: '2026-03-02T00:00:00Z'
window: {start: '2026-03-01T00:00:00Z', end: '2026-12-31T00:00:00Z'}
timezone: UTC
"""
ALERT = {"alerts": [{"status": "firing", "labels": {"alertname": "RequestsFail", "service": "web"}, "annotations": {}}]}
EVERY = 10_000


def main() -> None:
    """Make the bundle, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gb", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "DIR"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(given.measure[0], Path(given.measure[1]), given.runs)))
        return
    with tempfile.TemporaryDirectory(prefix="big-log-") as folder:
        size = make(Path(folder), int(given.gb * 1e9))
        show(Path(folder), size, given.runs)


def show(folder: Path, size: int, runs: int) -> None:
    """One line a figure, with its bar."""
    asked = {what: apart(what, folder, runs) for what in ("nothing", "grep", "tail", "match")}
    rg = best(lambda: ripgrep(folder / NAME), runs)
    base = asked["nothing"]["megabytes"]
    over = {what: each["megabytes"] - base for what, each in asked.items()}
    grep, tail, found = asked["grep"], asked["tail"], asked["match"]
    print(f"the log has {size / 1e6:.0f} MB")
    print(f"ripgrep                     {rg:.2f} s")
    print(f"search, grep and tail_n     {grep['seconds']:.2f} s, {grep['seconds'] / rg:.2f} times ripgrep (bar 1.5)")
    print(f"  memory over the base      {over['grep']:.0f} MB (bar 100)")
    print(f"search, tail_n alone        {tail['seconds'] * 1000:.0f} ms (bar 100), {over['tail']:.0f} MB over the base")
    speed = size / 1e6 / found["cpu"]
    print(f"all signatures              {speed:.0f} MB/s a core (bar 300), {over['match']:.0f} MB over the base")


def make(folder: Path, size: int) -> int:
    """The bundle; the size of its log."""
    (folder / "logs").mkdir()
    (folder / "incident.yaml").write_text(INCIDENT)
    (folder / "alert.json").write_text(json.dumps(ALERT))
    written = 0
    with (folder / NAME).open("wb") as log:
        for block in blocks():
            written += log.write(block)
            if written >= size:
                return written
    return written


def blocks() -> Iterator[bytes]:
    """Lines, ten thousand at a time, the last of which is an error."""
    paths = ["/api/orders/{}", "/api/catalog?page={}", "/static/app-{}.js", "/login", "/api/cart/{}/items"]
    agents = ["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "okhttp/4.12.0", "curl/8.5.0"]
    number = 0
    while True:
        lines = []
        for _ in range(EVERY - 1):
            number += 1
            day, second = divmod(number // 13, 86400)
            stamp = f"2026-03-{1 + day:02d}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"
            path, agent = paths[number % 5].format(number * 7919 % 99991), agents[number % 3]
            address = f"10.2.{number % 250}.{number % 17}"
            lines.append(f'{stamp} INFO [web] {address} "GET {path}" 200 {number % 83}.4ms "{agent}"')
        lines.append(f"{stamp} ERROR [web] upstream timed out (110: Connection timed out) while reading {number}")
        yield ("\n".join(lines) + "\n").encode()


def apart(what: str, folder: Path, runs: int) -> dict[str, float]:
    """A measurement in a process of its own."""
    command = [sys.executable, "-m", "bench.big_log", "--runs", str(runs), "--measure", what, str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measured(what: str, folder: Path, runs: int) -> dict[str, float]:
    """Seconds on the clock and on the processor, and the peak memory."""
    wanted = [Wanted(**each) for each in text_signatures(load([RUNBOOKS]))]
    with open_bundle(folder) as bundle:
        source = RecordedLogs(bundle)
        seconds = best(lambda: ask(what, source, wanted), runs)
        begun = time.process_time()
        ask(what, source, wanted)
        cpu = time.process_time() - begun
    return {"seconds": seconds, "cpu": cpu, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def ask(what: str, source: LogsSource, wanted: list[Wanted]) -> None:
    """One question to the source."""
    names = source.names()
    if what == "grep":
        assert search(source, names, Filter(GREP, TAIL)).searched.returned == TAIL
    elif what == "tail":
        assert search(source, names, Filter(None, TAIL)).searched.returned == TAIL
    elif what == "match":
        match(source, names, wanted, OPEN)


def best(of: Callable[[], None], runs: int) -> float:
    """The shortest of some runs, after one that warms up."""
    of()
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        of()
        times.append(time.perf_counter() - begun)
    return min(times)


def ripgrep(file: Path) -> None:
    """The same search by ripgrep, with its own choice of threads, output to a pipe."""
    subprocess.run(["rg", "--no-config", "-n", GREP, str(file)], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
