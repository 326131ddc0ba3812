"""Takes out of a recording whose machine it was: host name, people's user names, machine and boot id."""

import pwd
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from app.settings import Settings
from domain.codec import Json

HOST: Final = "recorded-host"
USER: Final = "recorded-user"
_IDS: Final = (
    "/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/random/boot_id", "/sys/class/dmi/id/product_uuid",
)  # fmt: skip
_PEOPLE: Final = range(1000, 60_000)  # uids; those below are programs', and part of the evidence
# Names of roles say nothing about a person, and are what services and containers are called as well.
_ROLES: Final = (
    "root nobody admin administrator app apps application web www api db data dev test user users deploy git docker "
    "ubuntu debian centos fedora rocky alma arch pi vagrant ec2-user cloud-user core node ci build runner service "
    "localhost"
)
_SHORTEST: Final = 3


@dataclass(frozen=True)
class Scrub:
    """Replaces each name by what stands for it, where it stands as a word of its own."""

    names: Mapping[str, str]

    def text(self, text: str) -> str:
        """The text without the names."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda match: self.names[match[0].lower()], text)

    def json(self, value: Json) -> Json:
        """Plain JSON without the names, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.json(item) for key, item in value.items()}
        return value

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        longest_first = sorted(self.names, key=lambda name: (-len(name), name))
        if not longest_first:
            return None
        return re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(map(re.escape, longest_first))})(?![A-Za-z0-9_])", re.I)


def of_this_machine(settings: Settings, further: Iterable[str] = ()) -> Scrub:
    """What is to be taken out here, and further names that somebody gives."""
    hosts = {settings.host_name, socket.gethostname(), socket.gethostname().partition(".")[0]}
    people = {entry.pw_name for entry in pwd.getpwall() if entry.pw_uid in _PEOPLE}
    ids = {text.replace("-", "") for path in _IDS if (text := _read(path))} | {_read(path) for path in _IDS}
    names = dict.fromkeys(people, USER) | dict.fromkeys(ids, "0" * 32) | dict.fromkeys(hosts, HOST)
    kept = {name.lower(): instead for name, instead in names.items() if _tells(name)}
    return Scrub(kept | {name.lower(): "scrubbed" for name in further if name.strip()})


def _tells(name: str) -> bool:
    return len(name) >= _SHORTEST and name.lower() not in _ROLES.split()


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
