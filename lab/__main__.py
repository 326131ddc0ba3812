"""Cause a fault and record it: python -m lab <fault>|all [--healthy|--faulty] [--out incidents].

Each recording runs in namespaces of its own and takes about two minutes; `all` records everything anew.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab.scenario import Scenario, record
from lab.stage import enter_command

FAULTS = sorted(path.stem for path in (Path(__file__).parent / "faults").glob("[a-z]*.py"))
AT_ONCE = 6  # recordings side by side; each has its own network and waits most of the time


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="lab", description=__doc__)
    parser.add_argument("fault", nargs="+", choices=[*FAULTS, "all"])
    parser.add_argument("--healthy", action="store_true", help="the twin alone")
    parser.add_argument("--faulty", action="store_true", help="the fault alone")
    parser.add_argument("--out", type=Path, default=Path("incidents"))
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def scenario(fault: str) -> Scenario:
    found: Scenario = importlib.import_module(f"lab.faults.{fault}").SCENARIO
    return found


def record_apart(fault: str, healthy: bool, out: Path) -> int:
    """Record in new namespaces."""
    options = [fault, "--inside", "--out", str(out), *["--healthy"] * healthy]
    code = subprocess.run(enter_command("lab", options), check=False).returncode
    print(f"{fault}{' (healthy)' * healthy}: {'recorded' if code == 0 else f'failed with {code}'}", flush=True)
    return code


def main() -> int:
    args = arguments()
    if args.inside:
        record(scenario(args.fault[0]), args.healthy, args.out)
        return 0
    faults = FAULTS if "all" in args.fault else args.fault
    twins = [healthy for healthy in (False, True) if not (args.faulty if healthy else args.healthy)]
    work = [(fault, healthy, args.out) for fault in faults for healthy in twins]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return max(pool.map(lambda one: record_apart(*one), work), default=0)


if __name__ == "__main__":
    sys.exit(main())
