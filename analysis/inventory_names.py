"""Which names mean the same thing: entities, their aliases, ids and addresses."""

import re
from bisect import insort
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from analysis.addresses import hosts_in_text
from domain.entity import KINDS, entity, is_entity, kind_of, name_of
from domain.facts import Fact

RUNNING: Final = ("container", "pod", "service", "database", "queue", "process")  # of these, equal names mean one thing
_SHORT_ID: Final = 12
_ADDRESS: Final = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|\[?[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,7}\]?")
_PUBLISHED: Final = re.compile(r"(?:[\d.]+|\[?::\]?):(\d+)->")
_CLUSTER: Final = re.compile(r"\.(?:svc|cluster\.local|local|internal|default)(?:\.|$)")
_PUBLIC: Final = re.compile(r"\.(?:com|org|net|io|dev|app|cloud|[a-z]{2})$")


class Names:
    """Grows while facts are learned; afterwards it is only asked."""

    def __init__(self) -> None:
        self.root: dict[str, str] = {}  # entity -> an entity nearer to the one that stands for its group
        self._alias: dict[str, str] = {}  # any other name, lower case -> entity
        self._address: dict[str, list[str]] = defaultdict(list)  # address -> who has or had it, the present owner last
        self._by_name: dict[str, list[str]] = {}  # lower-case name -> entities, those that run first

    def learn(self, fact: Fact) -> None:
        """Names, ids and addresses that a fact tells."""
        of, told = self.add(fact.entity), fact.attributes
        if fact.kind in ("container", "pod", "node"):
            self._learn_names(of, told)
        for pair in (*texts(told, "networks"), *(texts(told, "addresses") if fact.kind == "docker_network" else ())):
            name, _, address = pair.partition("=")
            self.has(of if fact.kind != "docker_network" else self.add(safe("container", name)), address)
        if fact.kind in ("container", "pod", "node"):
            for address in texts(told, "addresses"):
                self.has(of, address.rpartition("=")[2])
        if fact.kind == "event" and told.get("component") == "docker":
            identity = str(told.get("object") or "")
            self.call(of, identity)
            self.call(of, identity[:_SHORT_ID])

    def _learn_names(self, of: str, told: dict[str, Any]) -> None:
        identity = str(told.get("id") or "").rpartition("/")[2]
        for name in (identity, identity[:_SHORT_ID], str(told.get("hostname") or ""), *texts(told, "aliases")):
            self.call(of, name)
        if service := told.get("service"):
            self.join(of, self.add(safe("service", str(service))))
        for port in texts(told, "ports"):
            if match := _PUBLISHED.match(port):
                self.call(of, f"localhost:{match[1]}")

    def add(self, of: str) -> str:
        """Makes the entity known."""
        if of not in self.root:
            self.root[of] = of
            insort(self._by_name.setdefault(name_of(of).lower(), []), of, key=lambda e: (_rank(e), e))
        return of

    def call(self, of: str, name: str) -> None:
        """Another name of the entity."""
        if name and name.lower() != name_of(of).lower():
            self._alias.setdefault(name.lower(), of)

    def has(self, of: str, address: str) -> None:
        """The entity has the address, from now on."""
        address = address.partition("/")[0].strip("[]")
        if _ADDRESS.fullmatch(address):
            owners = self._address[address]
            if of in owners:
                owners.remove(of)
            owners.append(of)

    def group(self, of: str) -> str:
        """The entity that stands for all that are the same thing."""
        root = self.root.get(of, of)
        return root if root == of else self.group(root)

    def known_group(self, of: str) -> str:
        """The group of the entity, or of what its name means."""
        return self.group(of if of in self.root else self.resolve(of) or of)

    def join(self, a: str, b: str) -> None:
        """Both are one thing; the kind nearer to what runs stands for it."""
        first, second = sorted((self.group(self.add(a)), self.group(self.add(b))), key=lambda e: (_rank(e), e))
        self.root[second] = first

    def join_by_name(self) -> None:
        """Things that run under one name are one thing."""
        named: dict[str, list[str]] = defaultdict(list)
        for of in sorted(self.root):
            if kind_of(of) in RUNNING:
                named[name_of(of)].append(of)
        for alike in named.values():
            for other in alike[1:]:
                self.join(alike[0], other)

    def join_lonely_containers(self, facts: tuple[Fact, ...]) -> None:
        """A pod with one container is that container, where no other pod has a container of the name."""
        pods: dict[str, set[str]] = defaultdict(set)
        inside: dict[str, set[str]] = defaultdict(set)
        for fact in facts:
            if fact.kind == "container" and (pod := fact.attributes.get("pod")):
                pods[fact.entity].add(str(pod))
                inside[str(pod)].add(fact.entity)
        for container, homes in sorted(pods.items()):
            home = next(iter(homes))
            if len(homes) == 1 and len(inside[home]) == 1:
                self.join(safe("pod", home), container)

    def resolve(self, text: str, kind: str = "") -> str | None:
        """The entity that a text means; of several kinds of the name the one that was meant."""
        text = text.strip()
        if is_entity(text):
            return text if text in self.root else self.named(name_of(text), kind_of(text))
        found = self.named(text, kind)
        if found is None and (host := next(hosts_in_text(text), "")):
            found = self.named(host, kind)
        return found

    def address_owner(self, address: str) -> str | None:
        """Who has the address now, or had it last."""
        owners = self._address.get(address.strip("[]"), [])
        return owners[-1] if owners else None

    def named(self, name: str, kind: str = "") -> str | None:
        """The entity of a plain name, an id, an address, `host:port` or `user@host`."""
        name = name.strip().strip("/").lower()
        if not name:
            return None
        if found := self._exact(name, kind):
            return found
        host, colon, port = name.rpartition(":")
        host = host if colon and port.isdigit() else name
        if "@" in host:  # user@host, rabbit@node
            return self.named(host.rpartition("@")[2], kind)
        near = "." in host and not _ADDRESS.fullmatch(host) and self._is_near(host)
        return self._exact(host, kind) or (self._exact(host.partition(".")[0], kind) if near else None)

    def _is_near(self, host: str) -> bool:
        """Whether the first label of a dotted name may be meant: a name inside the cluster, never a public one."""
        return bool(_CLUSTER.search(host)) or (host.count(".") == 1 and not _PUBLIC.search(host))

    def _exact(self, name: str, kind: str) -> str | None:
        if owner := self.address_owner(name):
            return owner
        found = self._by_name.get(name)
        if found:
            return next((of for of in found if kind_of(of) == kind), found[0])
        alias = self._alias.get(name)
        if alias is None and len(name) > _SHORT_ID and re.fullmatch(r"[0-9a-f]+", name):
            alias = self._alias.get(name[:_SHORT_ID])
        return alias


def _rank(of: str) -> int:
    kind = kind_of(of)
    return RUNNING.index(kind) if kind in RUNNING else len(RUNNING) + KINDS.index(kind)


def safe(kind: str, name: str) -> str:
    """The entity, `kind:unknown` where nothing is left of the name."""
    try:
        return entity(kind, name)
    except ValueError:
        return entity(kind, "unknown")


def texts(told: dict[str, Any], name: str) -> Iterator[str]:
    """The texts of an attribute, whether it is one or a list."""
    value = told.get(name)
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, str))


def outside(host: str) -> str | None:
    """A server that nothing here is: external where its name is public or an address, else a missing service."""
    name, colon, port = host.rpartition(":")
    name = name if colon and port.isdigit() else host
    if not re.search(r"[a-zA-Z]", name):
        return entity("external", name) if _ADDRESS.fullmatch(name) else None
    if re.search(r"[<>{}$]", name) or len(name) < 2:
        return None
    return safe("external" if "." in name and not _CLUSTER.search(name) else "service", name)
