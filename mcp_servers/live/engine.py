"""A container engine behind the Docker API: Docker, rootless Docker or Podman. Its errors become ours here."""

import json
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from socket import AF_UNIX, socket
from threading import Lock, local
from typing import Any, Final

import docker  # type: ignore[import-untyped]
from docker.errors import DockerException, NotFound  # type: ignore[import-untyped]
from requests import RequestException

from domain.errors import ToolUnavailable
from mcp_servers.live.bounded import each_within, within

Json = dict[str, Any]
_SECONDS: Final = 4.0  # of one request
_ALL_SECONDS: Final = 8.0  # of the same request for every container
_MOST_CONTAINERS: Final = 300
_MOST_EVENTS: Final = 5000
_MOST_LOG: Final = 8 << 20  # bytes of one container's log that are kept, its last ones
_LOG_LINES: Final = 20_000


def sockets(uid: int) -> tuple[str, ...]:
    """Where engines listen: Docker, rootless Docker, Podman, rootless Podman."""
    own = f"/run/user/{uid}"
    return ("/var/run/docker.sock", f"{own}/docker.sock", "/run/podman/podman.sock", f"{own}/podman/podman.sock")


def find(docker_host: str) -> str:
    """The address of the engine: as given, or the first socket there is. Raises ToolUnavailable."""
    if docker_host == "off":
        raise ToolUnavailable("containers: the engine is switched off in the settings (docker_host = off)")
    if docker_host not in ("", "auto"):
        return docker_host
    known = sockets(os.getuid())
    for path in known:
        if Path(path).is_socket():
            return f"unix://{path}"
    raise ToolUnavailable(f"containers: no engine listens at {', '.join(known)}; name one in docker_host")


def _must_listen(address: str, seconds: float) -> None:
    """Raises OSError where nobody listens at a socket; the SDK would leave one open for each attempt."""
    scheme, _, path = address.partition("://")
    if scheme == "unix":
        with socket(AF_UNIX) as tried:
            tried.settimeout(seconds)
            tried.connect(path)


class _Client(docker.APIClient):  # type: ignore[misc]
    """The SDK's client, which also closes the answers that were read as streams: the SDK leaves their sockets open."""

    def __init__(self, **given: Any) -> None:
        self._answers = local()
        super().__init__(**given)

    def send(self, *request: Any, **how: Any) -> Any:
        """Sends, and remembers the answer."""
        answer = super().send(*request, **how)
        self._answers.__dict__.setdefault("all", []).append(answer)
        return answer

    def leave(self) -> None:
        """Closes what this thread was answered."""
        for answer in self._answers.__dict__.pop("all", []):
            answer.close()


class Engine:
    """Asks the engine; connects at the first question, and again after a failure. Every question has its time-out."""

    def __init__(self, docker_host: str = "auto", seconds: float = _SECONDS) -> None:
        self._docker_host, self._seconds = docker_host, seconds
        self._api: Any = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        """What results call it."""
        return "docker" if self._docker_host in ("", "auto") else f"docker {self._docker_host}"

    @property
    def is_there(self) -> bool:
        """Whether one was named or found; of a machine without an engine only the container tools say so."""
        return self._docker_host not in ("", "auto", "off") or (
            self._docker_host != "off" and any(Path(p).is_socket() for p in sockets(os.getuid()))
        )

    def containers(self, problems: list[str]) -> list[Json]:
        """Every container as inspect tells it. Raises ToolUnavailable when the engine is away."""
        listed = self._ask(lambda api: api.containers(all=True))
        if len(listed) > _MOST_CONTAINERS:
            problems.append(f"containers: {len(listed)} are there, {_MOST_CONTAINERS} were looked at")
        kept = sorted(listed[:_MOST_CONTAINERS], key=_name)
        found = each_within(_ALL_SECONDS, kept, _name, lambda one: self._inspect(one["Id"]), problems)
        return [one for one in found if one]

    def _inspect(self, identity: str) -> Json:
        try:
            return dict(self._ask(lambda api: api.inspect_container(identity)))
        except ToolUnavailable as exc:
            if isinstance(exc.__cause__, NotFound):  # removed since it was listed
                return {}
            raise

    def networks(self) -> list[Json]:
        """Every network with its members."""
        listed = self._ask(lambda api: api.networks())
        return [self._network(one["Id"]) for one in listed[:100]]

    def _network(self, identity: str) -> Json:
        return dict(self._ask(lambda api: api.inspect_network(identity)))

    def used_images(self) -> list[str]:
        """The images that containers were made of."""
        return sorted({str(one["ImageID"]) for one in self._ask(lambda api: api.containers(all=True))})

    def images(self, identities: list[str], problems: list[str]) -> list[Json]:
        """These images as inspect tells them."""
        return each_within(
            _ALL_SECONDS,
            identities,
            lambda one: f"image {one[:19]}",
            lambda one: dict(self._ask(lambda api: api.inspect_image(one))),
            problems,
        )

    def volumes(self) -> list[Json]:
        """Every volume."""
        return list((self._ask(lambda api: api.volumes()) or {}).get("Volumes") or [])

    def events(self, since: datetime, until: datetime) -> list[Json]:
        """What the engine still remembers of that time: Docker keeps the last 256 events, Podman may keep none."""
        start, end = int(since.timestamp()), int(until.timestamp()) + 1

        def read(api: Any) -> list[Json]:
            found = []
            for event in api.events(since=start, until=end, decode=True):
                found.append(dict(event))
                if len(found) >= _MOST_EVENTS:
                    break
            return found

        return list(self._ask(read))

    def stats(self, problems: list[str]) -> list[Json]:
        """What each running container uses; the engine takes a second or two for each, so all are asked at once."""
        running = self._ask(lambda api: api.containers())[:_MOST_CONTAINERS]
        found = each_within(
            _ALL_SECONDS,
            running,
            lambda one: f"{_name(one)}: stats",
            lambda one: dict(self._ask(lambda api: api.stats(one["Id"], stream=False))),
            problems,
        )
        return [one for one in found if one.get("memory_stats")]

    def log(self, name: str, since: datetime) -> bytes:
        """The last lines of a container's log since then, each behind the engine's stamp."""
        start = max(int(since.timestamp()), 1)

        def read(api: Any) -> bytes:
            kept = bytearray()
            for part in api.logs(name, stream=True, timestamps=True, since=start, tail=_LOG_LINES, follow=False):
                kept += part
                if len(kept) > 2 * _MOST_LOG:
                    del kept[: kept.find(b"\n", len(kept) - _MOST_LOG) + 1]
            return bytes(kept[-_MOST_LOG:]) if len(kept) > _MOST_LOG else bytes(kept)

        return bytes(within(_ALL_SECONDS, f"container/{name}", lambda: self._ask(read)))

    def _ask(self, question: Callable[[Any], Any]) -> Any:
        with _ours(self.name):
            client = self._client()
            try:
                return question(client)
            finally:
                client.leave()

    def _client(self) -> Any:
        with self._lock:
            if self._api is None:
                address = find(self._docker_host)
                _must_listen(address, self._seconds)
                client = _Client(base_url=address, timeout=self._seconds, version="auto")
                weakref.finalize(self, client.close)
                self._api = client
            return self._api

    def close(self) -> None:
        """Leave the engine."""
        with self._lock:
            if self._api is not None:
                self._api.close()
                self._api = None


def _name(listed: Json) -> str:
    return str((listed.get("Names") or [listed.get("Id", "")[:12]])[0]).lstrip("/")


@contextmanager
def _ours(name: str) -> Iterator[None]:
    """Translates what the SDK, requests and a Podman that answers with nothing raise."""
    try:
        yield
    except (DockerException, RequestException, OSError) as exc:
        raise ToolUnavailable(f"{name}: {_said(exc)}") from exc
    except (json.JSONDecodeError, KeyError, TypeError) as exc:
        raise ToolUnavailable(f"{name}: answered with what is no Docker API document ({exc})") from exc


def _said(exc: Exception) -> str:
    return " ".join(str(exc).split())[:200] or type(exc).__name__
