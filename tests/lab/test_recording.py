"""Three faults are caused and recorded anew, and the diagnosis finds them; the whole lab takes `make lab`."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import yaml

from app.cli.eval import find
from bundle.bundle import open_bundle
from lab.stage import forget_group, hidden, wait_for

ROOT = Path(__file__).parents[2]
FAULTS = ("process_descriptors", "credentials_rotated", "container_variable")
NEEDS = ("unshare", "nsenter", "lxcfs", "prometheus", "prometheus-node-exporter", "dockerd", "busybox")


def missing() -> str:
    if os.geteuid() != 0:
        return "the lab needs root for its namespaces"
    if not Path("/sys/fs/cgroup/memory").is_dir():
        return "the lab needs control groups of version 1"
    if why := hidden():
        return why
    away = [name for name in NEEDS if shutil.which(name) is None]
    return f"not installed: {', '.join(away)}" if away else ""


@dataclass(frozen=True)
class Recorded:
    """Where the bundles are, and the process that made them."""

    out: Path
    pid: int


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    if why := missing():
        pytest.skip(why)
    out = tmp_path_factory.mktemp("lab")
    command = [sys.executable, "-m", "lab", *FAULTS, "--faulty", "--at-once", "3", "--out", str(out)]
    lab = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said, _ = lab.communicate(timeout=400)
    assert lab.returncode == 0, said
    return Recorded(out, lab.pid)


def test_a_fresh_recording_is_a_bundle_with_its_truth(recorded: Recorded) -> None:
    assert len(find([recorded.out])) == len(FAULTS)
    for _, path in find([recorded.out]):
        assert yaml.safe_load((path / "expected.yaml").read_text(encoding="utf-8"))["verdict"] == "root_cause"
        with open_bundle(path) as bundle:
            assert bundle.window.start < bundle.fired_at <= bundle.window.end


def test_the_diagnosis_of_a_fresh_recording_is_right(recorded: Recorded, tmp_path: Path) -> None:
    fishbone = Path(sys.executable).with_name("fishbone")
    done = subprocess.run(
        [fishbone, "eval", recorded.out, "--bar", "ac_at_1=1"],
        cwd=ROOT, env={**os.environ, "FISHBONE_DATA": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_of_a_recording_stays_behind(recorded: Recorded) -> None:
    assert list(Path("/sys/fs/cgroup/memory").glob(f"stage-{recorded.pid}-*")) == []


def test_a_lab_that_is_killed_leaves_no_mount(tmp_path: Path) -> None:
    if why := missing():
        pytest.skip(why)
    before = Path("/proc/mounts").read_text("utf-8")
    command = [sys.executable, "-m", "lab", FAULTS[0], "--faulty", "--out", str(tmp_path)]
    lab = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        wait_for(lambda: _runs(lab.pid, "lxcfs") and _runs(lab.pid, "unshare"), "the stage")
    finally:
        os.killpg(lab.pid, signal.SIGKILL)
        lab.wait(10)
    forget_group(f"stage-{lab.pid}-1")
    assert Path("/proc/mounts").read_text("utf-8") == before


def _runs(lab: int, name: str) -> bool:
    return any(each.name() == name for each in psutil.Process(lab).children(recursive=True))
