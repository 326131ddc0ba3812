"""A small machine of its own: namespaces, neutral paths, addresses, names, and the programs that run there.

The recorder has its own mount, UTS, IPC and network namespaces; the programs have a PID namespace on top of that, so
that `ps` on the stage shows the stage alone. Clients run in the recorder: for the stage they are another machine.
"""

from __future__ import annotations

import grp
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

PROGRAMS = Path(__file__).parent / "programs"
PYTHON = "/usr/bin/python3"
SITE = "/opt/site"  # where the stage sees the packages that the programs need
LOGS = Path("/var/log")
ENVIRONMENT = {
    "PATH": "/opt/postgresql/18/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "HOME": "/srv",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONPATH": SITE,
    "LD_LIBRARY_PATH": "/opt/postgresql/18/libs",
}
CLIENT = "10.20.0.50"  # where requests come from


@dataclass(frozen=True)
class Host:
    """What the machine looks like from inside."""

    name: str
    addresses: Mapping[str, str]  # name -> address on the stage's own network
    volumes: Mapping[str, str] = field(default_factory=dict)  # mount point -> size of a tmpfs
    nameserver: str = "10.20.0.2"


def enter_command(module: str, arguments: Sequence[str]) -> list[str]:
    """The command that runs this module again in namespaces of its own."""
    return [
        "unshare",
        "--mount",
        "--uts",
        "--ipc",
        "--net",
        "--fork",
        "--kill-child",
        "--",
        sys.executable,
        "-m",
        module,
        *arguments,
    ]


class Stage:
    """The running machine. Programs are started on it, commands are captured on it, and leaving it ends all of them."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.programs: dict[str, subprocess.Popen[bytes]] = {}
        self._holder: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Stage:
        """Needs the namespaces of `enter_command`."""
        _sh("hostname", self.host.name)
        self._mount()
        self._address()
        self._holder = subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sleep", "infinity"],
            cwd="/",
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_for(lambda: bool(psutil.Process(self._require().pid).children()), "the PID namespace")
        return self

    def __exit__(self, *_: object) -> None:
        for name in reversed(list(self.programs)):
            self.stop(name, patience=12)
        holder = self._require()
        holder.kill()  # unshare ignores TERM; its child goes with it
        holder.wait(10)

    def _mount(self) -> None:
        for point in ("/srv", "/opt", "/run", "/tmp", "/var/log", "/var/lib"):
            _sh("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", point)
        Path("/var/lib/nginx").mkdir()
        os.chmod("/tmp", 0o1777)  # noqa: PTH101
        for point, size in self.host.volumes.items():
            Path(point).mkdir(parents=True, exist_ok=True)
            _sh("mount", "-t", "tmpfs", "-o", f"mode=755,size={size}", self.host.name + "-data", point)
        Path(SITE).mkdir()
        packages = Path(psutil.__file__).parent.parent
        for package in ("psycopg", "psycopg_binary", "psycopg_binary.libs", "typing_extensions.py"):
            (shutil.copytree if (packages / package).is_dir() else shutil.copy)(packages / package, Path(SITE, package))
        hosts = "127.0.0.1 localhost\n" + "".join(f"{ip} {name}\n" for name, ip in self.host.addresses.items())
        self._replace("/etc/hosts", hosts)
        self._replace("/etc/resolv.conf", f"nameserver {self.host.nameserver}\noptions timeout:1 attempts:1\n")
        self._replace("/etc/hostname", self.host.name + "\n")

    @staticmethod
    def _replace(path: str, text: str) -> None:
        copy = Path("/run", path.strip("/").replace("/", "-"))
        copy.write_text(text, encoding="utf-8")
        _sh("mount", "--bind", str(copy), path)

    def _address(self) -> None:
        _sh("ip", "link", "set", "lo", "up")
        for address in sorted({*self.host.addresses.values(), self.host.nameserver, CLIENT}):
            _sh("ip", "addr", "add", f"{address}/32", "dev", "lo")

    def _require(self) -> subprocess.Popen[bytes]:
        if self._holder is None:
            raise RuntimeError("the stage is not entered")
        return self._holder

    def _inside(self) -> list[str]:
        """The prefix that runs a command among the stage's processes."""
        first = psutil.Process(self._require().pid).children()[0].pid
        return ["nsenter", "-t", str(first), "-p", "-m", "--"]

    def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        user: str | None = None,
        env: Mapping[str, str] | None = None,
        log: str | None = None,
    ) -> None:
        """Start a program; what it prints is logs/<name>.log of the bundle, or in the file `log`."""
        become = ["setpriv", f"--reuid={user}", f"--regid={user_group(user)}", "--clear-groups"] if user else []
        with Path(log or LOGS / f"{name}.log").open("ab") as out:
            self.programs[name] = subprocess.Popen(
                [*self._inside(), *become, *command],
                cwd="/srv",
                env={**ENVIRONMENT, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def start_python(
        self, name: str, program: str, *, env: Mapping[str, str] | None = None, before: Sequence[str] = ()
    ) -> None:
        """Start one of lab/programs under /srv/<name>."""
        home = Path("/srv", name)
        home.mkdir(exist_ok=True)
        for source in (program, "http_app.py"):
            shutil.copy(PROGRAMS / source, home / source)
        self.start(name, [*before, PYTHON, f"/srv/{name}/{program}"], env=env)

    def pids(self, name: str) -> list[psutil.Process]:
        """The processes of a program as the recorder sees them, the one that was started first."""
        try:
            return psutil.Process(self.programs[name].pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def kill(self, name: str, number: int) -> None:
        for process in self.pids(name)[:1]:
            process.send_signal(number)

    def stop(self, name: str, patience: float = 5, number: int = signal.SIGTERM) -> None:
        program = self.programs.pop(name)
        for process in psutil.Process(program.pid).children()[:1] if program.poll() is None else []:
            process.send_signal(number)
        try:
            program.wait(patience)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait(5)

    def run(self, command: str, *, seconds: float = 30) -> str:
        """Both outputs of a shell command that runs on the stage."""
        done = subprocess.run(
            [*self._inside(), "sh", "-c", command],
            cwd="/srv",
            env=ENVIRONMENT,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.stdout.decode("utf-8", "replace")

    def run_ok(self, command: str, *, seconds: float = 60) -> str:
        """As run; a failure ends the recording."""
        out = self.run(f"{command} || echo LAB-FAILED", seconds=seconds)
        if out.rstrip().endswith("LAB-FAILED"):
            raise RuntimeError(f"{command}: {out}")
        return out

    def run_json(self, command: str) -> list[dict[str, object]]:
        """A command that prints one JSON document, or one a line."""
        out = self.run_ok(command)
        found = json.loads(out) if out.lstrip().startswith("[") else [json.loads(row) for row in out.splitlines()]
        return list(found)


def user_group(user: str) -> str:
    return grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name


def wait_for(ready: Callable[[], bool], what: str, seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > until:
            raise TimeoutError(f"{what} is not there after {seconds:.0f} s")
        time.sleep(0.05)


def wait_for_port(address: str, port: int) -> None:
    def listening() -> bool:
        try:
            socket.create_connection((address, port), 1).close()
        except OSError:
            return False
        return True

    wait_for(listening, f"{address}:{port}")


def _sh(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
