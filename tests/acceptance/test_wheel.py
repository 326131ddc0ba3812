"""A built wheel works outside the checkout: it carries its data, and needs nothing of the folder it came from."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.acceptance.conftest import ROOT, Running
from tests.acceptance.test_truth import INCIDENT


def project_files() -> list[str]:
    """All files of the checkout that are under version control or soon will be."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return sorted(name for name in names if name and (ROOT / name).is_file())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the files of this checkout, built beside it: a build leaves folders behind."""
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in project_files():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name)
    build = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-q", "-w", made, source]
    quiet = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    subprocess.run([sys.executable, *build], check=True, capture_output=True, env=quiet)
    (built,) = made.glob("fishbone-*.whl")
    return built


def test_the_wheel_carries_its_data_files(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    needed = re.compile(r"agents/.+\.md|store/.+\.sql|(runbooks|incidents)/.+|rag/.+\.toml")
    wanted = {name for name in project_files() if needed.fullmatch(name)}
    assert len(wanted) > 200 and sorted(wanted - names) == []
    assert [name for name in names if name.startswith(("tests/", "lab/", "bench/"))] == []


def test_installed_into_an_empty_environment_it_replays_a_shipped_incident_by_name(
    wheel: Path, running: Running, tmp_path: Path
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    (packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    # Dependencies come from here, so that nothing is downloaded; fishbone itself comes from the wheel alone.
    for entry in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not re.search("fishbone", entry.name) and entry.suffix != ".pth" and entry.name != "__pycache__":
            (packages / entry.name).symlink_to(entry)
    zipfile.ZipFile(wheel).extractall(packages)
    (tmp_path / "home").mkdir()
    (tmp_path / "elsewhere").mkdir()
    done = subprocess.run(
        [tmp_path / "venv/bin/python", "-c", "from app.cli import main; main()", "replay", INCIDENT, "--out", "out"],
        cwd=tmp_path / "elsewhere", capture_output=True, text=True,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "FISHBONE_DATABASE_URL": running.dsn},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "memory.oom_kill" in done.stdout
    assert (tmp_path / "elsewhere/out/report.md").is_file()
    assert str(ROOT) not in done.stdout + done.stderr + (tmp_path / "elsewhere/out/report.json").read_text()
