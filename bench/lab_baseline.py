"""What guessing reaches on recorded incidents with a ground truth: no information, the alert alone, the loudest line.

    python -m bench.lab_baseline [FOLDER ...]        default folder: incidents/

`healthy` always says that nothing is wrong. `usual` always names the most common family of the faults that are there,
about the service of the alert. `alert` repeats the alert. `loudest` takes the log with the most error lines and its
most frequent one. All are graded as `fishbone eval` grades.
"""

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.bundle_text import BundleText
from app.cli.eval import find
from app.truth import Truth, read_expected, term_groups
from bundle.bundle import open_bundle

ERROR = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|PANIC)\b|\[(?:error|crit|alert|emerg)\]|\b(?:refused|failed)\b")
VARIES = re.compile(r"\d+|0x[0-9a-f]+|\"[^\"]*\"")
Report = dict[str, Any]


def main() -> None:
    """Grade every way of guessing and print one row each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, default=[Path("incidents")])
    paths = [path for _, path in find(parser.parse_args().folders)]
    known = [read_expected(path) for path in paths]
    families = Counter(each.told_family for each in known if each.verdict == "root_cause")
    usual = families.most_common(1)[0][0]
    ways: dict[str, Callable[[Path], Report]] = {
        "healthy": lambda _: {"verdict": "healthy", "root_cause": None, "hypotheses": []},
        "usual": lambda path: blamed(*alerted(path), f"{usual} fault", usual),
        "alert": lambda path: blamed(alerted(path)[0], said(path)),
        "loudest": loudest,
    }
    groups = term_groups(known)
    faulty = sum(families.values())
    print(f"{'':8} {'faults':>8} {'healthy':>8}   (right of {faulty} and {len(known) - faulty})")
    for name, way in ways.items():
        right = Counter(
            each.verdict for each, path in zip(known, paths, strict=True) if is_right(path, each, way, groups)
        )
        print(f"{name:8} {right['root_cause']:8} {right['healthy']:8}")


def is_right(path: Path, expected: Any, way: Callable[[Path], Report], groups: Any) -> bool:
    """Whether a guess counts as right."""
    with open_bundle(path) as bundle:
        return Truth(expected, BundleText(bundle), groups).right(way(path))


def blamed(entity: str, summary: str, *more: str) -> Report:
    """A report that names a cause."""
    cause = {"entity": entity, "fault": "application.error", "summary": " ".join((summary, *more)), "chain": []}
    return {"verdict": "root_cause", "root_cause": cause, "hypotheses": [cause]}


def alerted(path: Path) -> tuple[str]:
    """What the alert is about."""
    labels = body(path)["alerts"][0]["labels"]
    return (f"service:{labels.get('service') or labels['instance']}",)


def said(path: Path) -> str:
    """The alert's words."""
    return " ".join(body(path)["alerts"][0]["annotations"].values())


def body(path: Path) -> Report:
    """The webhook."""
    return dict(json.loads((path / "alert.json").read_text(encoding="utf-8")))


def loudest(path: Path) -> Report:
    """The most frequent error line of the log that has most of them; nothing wrong where no log has one."""
    shapes: dict[str, Counter[str]] = {}
    first: dict[str, str] = {}
    for log in sorted(path.glob("logs/**/*.log*")):
        text = gzip.decompress(log.read_bytes()) if log.suffix == ".gz" else log.read_bytes()
        lines = [line for line in text.decode("utf-8").splitlines() if ERROR.search(line)]
        shapes[log.name.partition(".log")[0]] = Counter(VARIES.sub("#", line) for line in lines)
        for line in lines:
            first.setdefault(VARIES.sub("#", line), line)
    name, found = max(shapes.items(), key=lambda pair: pair[1].total(), default=("", Counter[str]()))
    if not found:
        return {"verdict": "healthy", "root_cause": None, "hypotheses": []}
    return blamed(f"service:{name}", first[found.most_common(1)[0][0]])


if __name__ == "__main__":
    main()
