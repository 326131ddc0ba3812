"""Cause a fault and record it: python -m lab <fault>|all [--healthy|--faulty] [--out incidents].

Each recording runs in namespaces of its own and takes about two minutes; `all` records everything anew.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab.registry import NAMES, scenario
from lab.scenario import record
from lab.stage import enter_command, forget_group, hidden, views

AT_ONCE = 2  # recordings side by side; each has its own network and waits most of the time
GROUPS = itertools.count(1)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lab", description=__doc__)
    parser.add_argument("fault", nargs="+", choices=[*NAMES, "all"])
    parser.add_argument("--healthy", action="store_true", help="the twin alone")
    parser.add_argument("--faulty", action="store_true", help="the fault alone")
    parser.add_argument("--at-once", type=int, default=AT_ONCE, help="recordings side by side")
    parser.add_argument("--out", type=Path, default=Path("incidents"))
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)  # the view of /proc that the stage gets
    parser.add_argument("--apart", action="store_true", help=argparse.SUPPRESS)  # in a mount namespace of its own
    return parser.parse_args()


def record_apart(fault: str, healthy: bool, out: Path, view: Path) -> int:
    """Record in new namespaces."""
    options = [fault, "--inside", str(view), "--out", str(out.resolve()), *["--healthy"] * healthy]
    group = f"stage-{os.getpid()}-{next(GROUPS)}"
    code = subprocess.run(enter_command("lab", options, group), check=False).returncode
    forget_group(group)
    print(f"{fault}{' (healthy)' * healthy}: {'recorded' if code == 0 else f'failed with {code}'}", flush=True)
    return code


def main() -> int:
    args = arguments()
    if args.inside:
        record(scenario(args.fault[0]), args.healthy, args.out, args.inside)
        return 0
    if why := hidden():
        print(f"lab: {why}: clone it elsewhere, for instance under /root", file=sys.stderr)
        return 2
    if not args.apart:  # what the lab mounts is gone with it, however it ends
        os.execvp("unshare", ["unshare", "--mount", "--", sys.executable, "-m", "lab", "--apart", *sys.argv[1:]])
    faults = NAMES if "all" in args.fault else args.fault
    twins = [healthy for healthy in (False, True) if not (args.faulty if healthy else args.healthy)]
    work = [(fault, healthy) for fault in faults for healthy in twins]
    with views() as view, ThreadPoolExecutor(args.at_once) as pool:
        return max(pool.map(lambda one: record_apart(*one, args.out, view), work), default=0)


if __name__ == "__main__":
    sys.exit(main())
