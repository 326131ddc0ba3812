"""Processes whose wall clock is wrong. (libfaketime 0.9.10 breaks time.sleep of Python 3.11: hence one of ours.)"""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_suffix(".c")


@functools.cache
def _library() -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler is installed, to build what puts a clock wrong")
    out = Path(tempfile.mkdtemp(prefix="fb-clock-")) / "wrong_clock.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(out), str(SOURCE)], check=True)
    return out


class Clock:
    """How far the wall clock of some processes is off."""

    def __init__(self, file: Path, seconds: int = 0) -> None:
        self._file = file
        file.write_bytes(bytes(8))
        self.off(seconds)

    def off(self, seconds: int) -> None:
        """From now on, by so much."""
        with self._file.open("r+b", buffering=0) as file:
            file.write(seconds.to_bytes(8, "little", signed=True))

    @property
    def environment(self) -> dict[str, str]:
        """Of a process that is to have this clock."""
        return {"LD_PRELOAD": str(_library()), "WRONG_CLOCK": str(self._file)}
