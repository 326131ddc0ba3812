"""What a fault file says of itself, and how one is played: with the fault, or as its healthy twin."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.record import Alert, Expected, Recording, out_folder
from lab.stage import Host, Stage

NORMAL = 45.0  # seconds of ordinary traffic before the fault
HURT = 28.0  # seconds with the fault, until the alert fires
AFTER = 4.0  # seconds between the alert and the recording


@dataclass(frozen=True)
class Scenario:
    """One fault. `play` sets up, waits, causes the fault unless healthy, and captures."""

    folder: str  # under incidents/, named for the symptom
    host: Host
    alert: Alert
    calm: Alert  # what the twin was asked about
    expected: Expected
    play: Callable[[Stage, Recording, bool], None]
    source: str  # lab: <script>


def told(
    play: Callable[[Stage, Recording, bool], None],
    source: str,
    folder: str,
    host: Host,
    service: str,
    alert: Sequence[str],
    calm: Sequence[str],
    expected: Expected,
) -> Scenario:
    """A scenario whose alerts are about one service: name, title, description and, if not critical, severity."""
    about = {"service": service, "instance": host.name}
    return Scenario(
        folder, host, _alert(alert, about, "critical"), _alert(calm, about, "info"), expected, play, f"lab: {source}"
    )


def _alert(words: Sequence[str], about: Mapping[str, str], usual: str) -> Alert:
    name, title, description, *severity = words
    return Alert(name, title, description, about, *(severity or [usual]))


def record(scenario: Scenario, healthy: bool, out: Path, view: Path) -> Path:
    """Play a scenario in the namespaces that we are in, and write its bundle."""
    folder = out_folder(out) / (scenario.folder + "-healthy" * healthy)
    with Stage(scenario.host, view) as stage:
        recording = Recording(stage)
        scenario.play(stage, recording, healthy)
        recording.write(folder, scenario.calm if healthy else scenario.alert, answer(scenario, healthy))
    return folder


def answer(scenario: Scenario, healthy: bool) -> Mapping[str, Any]:
    """expected.yaml."""
    expected = scenario.expected
    return {
        "verdict": "healthy" if healthy else "root_cause",
        "entities": [] if healthy else list(expected.entities),
        "terms": [] if healthy else [list(group) for group in expected.terms],
        "must_not_appear": list(expected.must_not_appear),
        "tempting_wrong_answer": f"{expected.fault}, as in the twin" if healthy else expected.tempting,
        "family": "none" if healthy else expected.fault.split(".")[0],
        "fault": "none.healthy" if healthy else expected.fault,
        "difficulty": expected.difficulty,
        "source": scenario.source,
    }


def timeline(
    recording: Recording, cause: Callable[[], None] | None, *, normal: float = NORMAL, hurt: float = HURT
) -> None:
    """Ordinary traffic, then the fault (none in the twin), then the alert."""
    time.sleep(normal)
    if cause:
        cause()
    time.sleep(hurt)
    recording.fire()
    time.sleep(AFTER)
