"""Speed of `fishbone replay` from a cold process, and of one bundle inside `fishbone eval`.

    python -m bench.replay [--runs 20] [FOLDER ...]        default folder: incidents/

Prints median and p95 seconds, peak memory of the process without Postgres, and the time of `fishbone --help`.
"""

import argparse
import json
import math
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FISHBONE = Path(sys.executable).with_name("fishbone")


def main() -> None:
    """Measure and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[Path("incidents")])
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    bundles = sorted(p.parent for folder in given.folders for p in folder.rglob("incident.yaml"))
    if not bundles:
        raise SystemExit(f"no bundle below {', '.join(map(str, given.folders))}")
    cold = [timed([str(FISHBONE), "replay", str(bundles[n % len(bundles)])]) for n in range(given.runs + 1)][1:]
    shown("cold replay", cold)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of one process: {peak:.0f} MB")
    shown("fishbone --help", [timed([str(FISHBONE), "--help"]) for _ in range(10)])
    inside = inside_eval(given.folders)
    shown("bundle inside eval", list(inside.values()))
    slowest = max(inside, key=lambda name: inside[name])
    print(f"the slowest of them: {inside[slowest]:.2f} s, {slowest}")


def timed(command: list[str]) -> float:
    """Seconds that a command takes."""
    begun = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begun


def inside_eval(folders: list[Path]) -> dict[str, float]:
    """Seconds of each bundle as eval itself measures them, by set and id."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "eval.json"
        subprocess.run([FISHBONE, "eval", *folders, "--json", out], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)  # fmt: skip
        bundles = json.loads(out.read_text("utf-8"))["bundles"]
        return {f"{each['group']}/{each['id']}": each["seconds"] for each in bundles}


def shown(name: str, seconds: list[float]) -> None:
    """One line: median and p95."""
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, math.ceil(0.95 * len(ordered)) - 1)]
    print(f"{name}: median {statistics.median(ordered):.2f} s, p95 {p95:.2f} s, {len(ordered)} runs")


if __name__ == "__main__":
    main()
