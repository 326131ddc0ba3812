"""A real Docker engine on the stage, and an image of Debian's Python and busybox that needs no registry."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from lab.monitor import Sampler
from lab.stage import PROGRAMS, PYTHON, Stage, wait_for

ROOT = Path("/opt/image")
SUBNET = "10.30.0.0/24"
MEMORY = Path("/sys/fs/cgroup/memory/docker")  # cgroup v1


class Engine:
    """dockerd, its network `shop`, and what is read back from it."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        stage.start(
            "dockerd", ["dockerd", "--iptables=false", "--ip6tables=false", "--ip-masq=false"], log="/run/dockerd.out"
        )
        wait_for(lambda: "Server Version" in stage.run("docker info"), "dockerd")
        stage.run_ok(f"docker network create --subnet {SUBNET} shop")

    def image(self, name: str, *programs: str, files: Mapping[str, bytes] | None = None) -> None:
        """An image whose working directory /app holds the programs."""
        if not ROOT.exists():
            build_root()
        for program in (*programs, "http_app.py"):
            shutil.copy(PROGRAMS / program, ROOT / "app" / program)
        for file, content in (files or {}).items():
            (ROOT / "app" / file).write_bytes(content)
            (ROOT / "app" / file).chmod(0o755)
        self.stage.run_ok(
            f"tar -C {ROOT} -c . | docker import -c 'ENV PATH=/usr/bin:/bin' -c 'ENV PYTHONUNBUFFERED=1' "
            f"-c 'WORKDIR /app' - {name}"
        )

    def run(self, name: str, image: str, command: str, options: str) -> None:
        """Run a container that starts."""
        self.stage.run_ok(self._run(name, image, command, options))

    def run_any(self, name: str, image: str, command: str, options: str) -> None:
        """Run a container, whether it starts or not."""
        self.stage.run(self._run(name, image, command, options))

    @staticmethod
    def _run(name: str, image: str, command: str, options: str) -> str:
        return f"docker run -d --name {name} --network shop {options} {image} {command}"

    def memory(self, name: str) -> Sampler:
        """Memory of a container as its cgroup counts it."""

        def sample() -> Iterable[tuple[str, str, float]]:
            found = json.loads(self.stage.run(f"docker inspect {shlex.quote(name)} 2>/dev/null") or "[]")
            for one in found:
                cgroup = MEMORY / one["Id"]
                yield f"container:{name}", "restart_count", float(one["RestartCount"])
                yield f"container:{name}", "up", float(one["State"]["Running"])
                for metric, file in (
                    ("memory_usage_bytes", "memory.usage_in_bytes"),
                    ("memory_failcnt", "memory.failcnt"),
                ):
                    if (cgroup / file).exists():
                        yield f"container:{name}", metric, float((cgroup / file).read_text())

        return sample


def build_root() -> None:
    """The files of the image: python3.11 with its libraries, and busybox."""
    for folder in ("usr/bin", "usr/lib", "bin", "etc", "tmp", "proc", "sys", "dev", "app"):
        (ROOT / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(PYTHON, ROOT / "usr/bin/python3")
    shutil.copytree(
        "/usr/lib/python3.11",
        ROOT / "usr/lib/python3.11",
        symlinks=True,
        ignore=shutil.ignore_patterns(
            "__pycache__",
            "test",
            "lib2to3",
            "idlelib",
            "tkinter",
            "config-*",
            "pydoc_data",
            "ensurepip",
            "sitecustomize.py",
        ),
    )
    linked = subprocess.run(["ldd", PYTHON], check=True, capture_output=True, text=True).stdout.split()
    for library in (word for word in linked if word.startswith("/")):
        (ROOT / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, ROOT / library[1:])
    shutil.copy("/bin/busybox", ROOT / "bin/busybox")
    for applet in ("sh", "ls", "cat", "ps", "wget", "df", "free", "top"):
        (ROOT / "bin" / applet).symlink_to("busybox")
    (ROOT / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n", encoding="utf-8")
