"""A small machine of its own: namespaces, neutral paths, addresses, names, and the programs that run there.

The recorder has its own mount, UTS, IPC and network namespaces; the programs have a PID namespace on top of that, so
that `ps` on the stage shows the stage alone. Clients run in the recorder: for the stage they are another machine.
"""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

PROGRAMS = Path(__file__).parent / "programs"
PYTHON = "/usr/bin/python3"
SITE = "/opt/site"  # where the stage sees the packages that the programs need
LOGS = Path("/var/log")
COVERED = ("/srv", "/opt", "/tmp", "/var/log", "/var/lib", "/dev/shm")  # the stage has folders of its own there
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
MONITOR = "10.20.0.90"  # where Prometheus stands
GROUPS = Path("/sys/fs/cgroup")
# One kernel writes one log for all machines that it carries: the stage's dmesg leaves out who was killed elsewhere.
DMESG = """#!/bin/sh
/run/kernel/dmesg "$@" | awk -v own="/{group}" '
  /invoked oom-killer/ {{ held = $0; next }}
  /oom-kill:constraint/ {{ mine = index($0, own "/") || index($0, own ","); if (mine) {{ print held; print }}; next }}
  /[Oo]ut of memory: Killed process|oom_reaper/ {{ if (mine) print; next }}
  {{ print }}'
"""
FAKED = ("stat", "loadavg", "meminfo", "swaps")  # files of /proc that lxcfs tells of the stage's own control group
CPUS, MEMORY = 2, "4G"  # what a stage has
CONTROLLERS = ("memory", "cpu", "cpuacct", "cpuset", "pids")  # of cgroup v1: those that evidence is read from


def hidden() -> str:
    """Why the stage would not see this code; empty where it does."""
    for needed in (Path(__file__).resolve(), Path(psutil.__file__).resolve()):
        for point in COVERED:
            if needed.is_relative_to(point):
                return f"the lab's code or packages lie under {point}, where its stage has a folder of its own"
    return ""


@dataclass(frozen=True)
class Host:
    """What the machine looks like from inside."""

    name: str
    addresses: Mapping[str, str]  # name -> address on the stage's own network
    volumes: Mapping[str, str] = field(default_factory=dict)  # mount point -> size of a tmpfs
    nameserver: str = "10.20.0.2"


def enter_command(module: str, arguments: Sequence[str], group: str) -> list[str]:
    """The command that runs this module again in a control group and namespaces of its own."""
    enter = ["unshare", "--mount", "--uts", "--ipc", "--net", "--cgroup", "--fork", "--kill-child", "--"]
    return ["sh", "-c", f'{_joining(group)}; exec "$@"', "sh", *enter, sys.executable, "-m", module, *arguments]


def _joining(group: str) -> str:
    """Shell that makes the control group and joins it."""
    given = {f"cpuset/{group}/cpuset.{what}": f"$(cat {GROUPS}/cpuset/cpuset.{what})" for what in ("cpus", "mems")}
    given[f"memory/{group}/memory.limit_in_bytes"] = MEMORY
    given[f"cpu/{group}/cpu.shares"] = "20000"  # what else runs on the machine must not be felt
    given[f"cpu/{group}/cpu.cfs_quota_us"] = str(100_000 * CPUS)  # lxcfs counts only a group that has a limit
    made = [f"mkdir -p {GROUPS}/{name}/{group}" for name in CONTROLLERS]
    set_up = [f"echo {value} > {GROUPS}/{path}" for path, value in given.items()]
    joined = [f"echo $$ > {GROUPS}/{name}/{group}/cgroup.procs" for name in CONTROLLERS]
    return "set -e; " + "; ".join((*made, *set_up, *joined, f"export LAB_GROUP={group}"))


@contextmanager
def views() -> Iterator[Path]:
    """lxcfs: how much of the machine a control group uses, in the form of /proc. Where its server is killed the mount
    stays and answers nothing, so that the caller has a mount namespace of its own."""
    with tempfile.TemporaryDirectory() as folder:
        pidfile = ["--pidfile", f"{folder}.pid"]
        server = subprocess.Popen(
            ["lxcfs", "--enable-loadavg", "--enable-cfs", *pidfile, folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for(Path(folder, "proc/stat").exists, "lxcfs")
            yield Path(folder)
        finally:
            server.terminate()
            server.wait(10)
            subprocess.run(["umount", "--lazy", folder], check=False, stderr=subprocess.DEVNULL)
            Path(f"{folder}.pid").unlink(missing_ok=True)


def forget_group(group: str) -> None:
    """Remove what is left of a control group whose processes have ended."""
    for top in (GROUPS / name / group for name in CONTROLLERS):
        below = (path for path in top.rglob("*") if path.is_dir())
        for folder in (*sorted(below, key=lambda path: -len(path.parts)), top):
            if folder.is_dir():
                wait_for(lambda: _removed(folder), f"the end of {folder}")  # noqa: B023 - called at once


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True


class Stage:
    """The running machine. Programs are started on it, commands are captured on it, and leaving it ends all of them."""

    def __init__(self, host: Host, view: Path) -> None:
        self.host = host
        self.others: list[subprocess.Popen[bytes]] = []  # what runs beside the stage, as on another machine
        self._view = view  # where lxcfs is mounted
        self.programs: dict[str, subprocess.Popen[bytes]] = {}
        self._holder: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Stage:
        """Needs the namespaces of `enter_command`."""
        _sh("hostname", self.host.name)
        self._mount()
        self._mount_groups()
        self._filter_kernel_log()
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
        wait_for(lambda: "sleep" in self.run("cat /proc/1/comm"), "its own /proc")
        self.run_ok(
            " && ".join(f"mount --bind /run/lxcfs/proc/{name} /proc/{name}" for name in FAKED)
            # One kernel counts pressure for all machines that it carries: this one has none to tell.
            + " && { test ! -d /proc/pressure || mount -t tmpfs tmpfs /proc/pressure; }"
        )
        return self

    def __exit__(self, *_: object) -> None:
        for name in reversed(list(self.programs)):
            self.stop(name, patience=12)
        for other in self.others:
            other.kill()
            other.wait(10)
        holder = self._require()
        holder.kill()  # unshare ignores TERM; its child goes with it
        holder.wait(10)

    def _mount(self) -> None:
        _tmpfs("/run")
        Path("/run/lxcfs").mkdir()
        _sh("mount", "--move", str(self._view), "/run/lxcfs")
        for point in COVERED:
            _tmpfs(point)
        Path("/var/lib/nginx").mkdir()
        for point in ("/tmp", "/dev/shm"):
            os.chmod(point, 0o1777)  # noqa: PTH101
        for point, size in self.host.volumes.items():
            Path(point).mkdir(parents=True, exist_ok=True)
            _sh("mount", "-t", "tmpfs", "-o", f"mode=755,size={size}", self.host.name + "-data", point)
        Path(SITE).mkdir()
        packages = Path(psutil.__file__).parent.parent
        for package in ("psycopg", "psycopg_binary", "psycopg_binary.libs", "typing_extensions.py"):
            (shutil.copytree if (packages / package).is_dir() else shutil.copy)(packages / package, Path(SITE, package))
        hosts = f"127.0.0.1 localhost\n{self.address} {self.host.name}\n" + "".join(
            f"{ip} {name}\n" for name, ip in self.host.addresses.items()
        )
        self._replace("/etc/hosts", hosts)
        self._replace("/etc/resolv.conf", f"nameserver {self.host.nameserver}\noptions timeout:1 attempts:1\n")
        self._replace("/etc/hostname", self.host.name + "\n")

    @staticmethod
    def _filter_kernel_log() -> None:
        real = shutil.which("dmesg")
        if real is None:
            return
        Path("/run/kernel").mkdir()
        shutil.copy(real, "/run/kernel/dmesg")
        Path("/run/kernel/own").write_text(DMESG.format(group=os.environ["LAB_GROUP"]), encoding="utf-8")
        Path("/run/kernel/own").chmod(0o755)
        _sh("mount", "--bind", "/run/kernel/own", str(Path(real).resolve()))

    @staticmethod
    def _mount_groups() -> None:
        """The stage sees its own control group as the root of all."""
        for name in CONTROLLERS:
            _sh("umount", "--lazy", str(GROUPS / name))  # a kernel mounts nothing over itself
            _sh("mount", "-t", "cgroup", "-o", name, "cgroup", str(GROUPS / name))

    @staticmethod
    def _replace(path: str, text: str) -> None:
        copy = Path("/run", path.strip("/").replace("/", "-"))
        copy.write_text(text, encoding="utf-8")
        _sh("mount", "--bind", str(copy), path)

    def _address(self) -> None:
        _sh("ip", "link", "set", "lo", "up")
        for address in sorted({*self.host.addresses.values(), self.host.nameserver, CLIENT, MONITOR, self.address}):
            _sh("ip", "addr", "add", f"{address}/32", "dev", "lo")

    @property
    def address(self) -> str:
        """Where the machine itself is reached."""
        return "10.20.0.5"

    def _require(self) -> subprocess.Popen[bytes]:
        if self._holder is None:
            raise RuntimeError("the stage is not entered")
        return self._holder

    def inside(self) -> list[str]:
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
                [*self.inside(), *become, *command],
                cwd="/srv",
                env={**ENVIRONMENT, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def install(self, name: str, *programs: str) -> Path:
        """Put programs of lab/programs under /srv/<name>."""
        home = Path("/srv", name)
        home.mkdir(exist_ok=True)
        for source in programs:
            shutil.copy(PROGRAMS / source, home / source)
        return home

    def start_python(
        self,
        name: str,
        program: str,
        *,
        env: Mapping[str, str] | None = None,
        before: Sequence[str] = (),
        user: str | None = None,
    ) -> None:
        """Start a Python program under /srv/<name>."""
        self.install(name, program, "http_app.py")
        self.start(name, [*before, PYTHON, f"/srv/{name}/{program}"], env=env, user=user)

    def start_service(
        self, name: str, program: str, port: int, *, env: Mapping[str, str] | None = None, before: Sequence[str] = ()
    ) -> tuple[str, int]:
        """Start a Python service on its address and wait until it listens."""
        address = self.host.addresses[name]
        told = {"LISTEN": address, "PORT": str(port), "NAME": name}
        self.start_python(name, program, env={**told, **(env or {})}, before=before)
        wait_for_port(address, port)
        return address, port

    def compile(self, name: str, program: str, binary: str, *options: str) -> str:
        """Build a C program of lab/programs under /srv/<name>; its path."""
        home = Path("/srv", name)
        home.mkdir(exist_ok=True)
        _sh("gcc", "-O1", "-static", *options, "-o", str(home / binary), str(PROGRAMS / program))
        return str(home / binary)

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
            [*self.inside(), "sh", "-c", command],
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


def _tmpfs(point: str) -> None:
    _sh("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", point)


def _sh(*command: str) -> None:
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
