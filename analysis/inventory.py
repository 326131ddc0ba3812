"""One inventory of what there is: which names mean the same thing, who has which address, who needs whom."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Final, Self

from analysis.addresses import hosts_in_env, hosts_in_text
from analysis.captures import kube_words
from domain.entity import KINDS, entity, is_entity, kind_of, name_of
from domain.facts import Fact
from domain.results import Edge

_RUNNING: Final = (
    "container",
    "pod",
    "service",
    "database",
    "queue",
    "process",
)  # kinds of which equal names mean one thing
_SHORT_ID: Final = 12
_ADDRESS: Final = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}|\[?[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){3,7}\]?")
_PUBLISHED: Final = re.compile(r"(?:[\d.]+|\[?::\]?):(\d+)->")
_CLUSTER: Final = re.compile(r"\.(?:svc|cluster\.local|local|internal|default)(?:\.|$)")


class Inventory:
    """Names, addresses and dependencies of one incident. Immutable once built."""

    def __init__(self) -> None:
        self._named_cache: frozenset[str] = frozenset()  # the entities that _names was made of
        self._names: dict[str, tuple[str, ...]] = {}
        self._root: dict[str, str] = {}  # entity -> the entity that stands for its group
        self._alias: dict[str, str] = {}  # any other name, lower case -> entity
        self._address: dict[str, list[str]] = defaultdict(list)  # address -> who has or had it, the present owner last
        self._related: dict[str, list[str]] = defaultdict(list)
        self._needs: dict[tuple[str, str], str] = {}  # (caller, callee) -> origin

    @classmethod
    def build(cls, facts: Iterable[Fact], edges: Iterable[Edge] = (), sources: Iterable[str] = ()) -> Self:
        """The inventory of these facts, given edges and names of text sources."""
        made = cls()
        known = tuple(facts)
        for fact in known:
            made._learn(fact)
        for source in sources:
            made._add(entity("service", made._stem(source)))
        made._join_by_name()
        made._join_lonely_containers(known)
        for edge in edges:
            made._need(made._of_edge(edge.caller), made._of_edge(edge.callee), edge.origin or "topology")
        for fact in known:
            made._connect(fact)
        return made

    def resolve(self, text: str, kind: str = "") -> str | None:
        """The entity that a name, id, address, `address:port`, URL or `kind:name` means; None where nobody knows it.

        `kind` is preferred where several kinds have the name.
        """
        text = text.strip()
        if is_entity(text):
            return text if text in self._root else self._named(name_of(text), kind_of(text))
        found = self._named(text, kind)
        if found is None and (host := next(hosts_in_text(text), "")):
            found = self._named(host, kind)
        return found

    def owner(self, source: str) -> str:
        """Whose text a source is: `logs/web.log` -> the container web, or service:web when nothing else is known."""
        stem = self._stem(source)
        if found := self._named(stem, "container") or self._named(source, ""):
            return found
        words = re.split(r"[_/]", PurePosixPath(source).name.partition(".")[0])
        return next(
            (hit for word in reversed(words) if len(word) > 2 and (hit := self._named(word, "pod"))),
            entity("service", stem),
        )

    def same(self, a: str, b: str) -> bool:
        """Whether both entities are one thing."""
        if a == b or self._group(a) == self._group(b):
            return True
        alike = name_of(a) == name_of(b) and kind_of(a) in _RUNNING and kind_of(b) in _RUNNING
        return alike or (bool(found := self.resolve(a)) and found == self.resolve(b))

    def depends(self, a: str, b: str) -> bool:
        """Whether a needs b, directly or through others."""
        start, goal = self._known_group(a), self._known_group(b)
        return goal != start and goal in self._reach(start)

    def related(self, of: str) -> tuple[str, ...]:
        """What belongs together with it: the pod of a container, the workload of a pod, the host both run on."""
        group = self._known_group(of)
        members = [of, *(member for member in self._members.get(group, ()) if member != of)]
        return tuple(
            dict.fromkeys(other for member in members for other in self._related.get(member, ()) if other != of)
        )

    def address_owner(self, address: str) -> str | None:
        """Who has the address now, or had it last."""
        owners = self._address.get(address.strip("[]"), [])
        return owners[-1] if owners else None

    def edges(self) -> tuple[Edge, ...]:
        """Who needs whom, with where that was seen."""
        return tuple(Edge(caller, callee, origin) for (caller, callee), origin in sorted(self._needs.items()))

    def entities(self) -> tuple[str, ...]:
        """All known entities, sorted."""
        return tuple(sorted(self._root))

    # What there is

    def _learn(self, fact: Fact) -> None:
        of, told = self._add(fact.entity), fact.attributes
        if fact.kind in ("container", "pod", "node"):
            self._learn_names(of, told)
        for pair in (*_texts(told, "networks"), *(_texts(told, "addresses") if fact.kind == "docker_network" else ())):
            name, _, address = pair.partition("=")
            self._has(of if fact.kind != "docker_network" else self._add(_safe("container", name)), address)
        if fact.kind in ("container", "pod", "node"):
            for address in _texts(told, "addresses"):
                self._has(of, address.rpartition("=")[2])
        if fact.kind == "event" and told.get("component") == "docker":
            identity = str(told.get("object") or "")
            self._call(of, identity)
            self._call(of, identity[:_SHORT_ID])

    def _learn_names(self, of: str, told: dict[str, Any]) -> None:
        identity = str(told.get("id") or "").rpartition("/")[2]
        for name in (identity, identity[:_SHORT_ID], str(told.get("hostname") or ""), *_texts(told, "aliases")):
            self._call(of, name)
        if service := told.get("service"):
            self._join(of, self._add(_safe("service", str(service))))
        for port in _texts(told, "ports"):
            if match := _PUBLISHED.match(port):
                self._call(of, f"localhost:{match[1]}")

    def _connect(self, fact: Fact) -> None:
        """What a fact says of who belongs together, and who needs whom."""
        of, told = fact.entity, fact.attributes
        reader = {
            "container": self._connect_container,
            "pod": self._connect_pod,
            "workload": self._connect_workload,
            "claim": self._connect_claim,
            "object": self._connect_object,
            "dns": self._connect_name,
            "event": self._connect_event,
        }.get(fact.kind)
        if reader is not None:
            reader(of, told)

    def _connect_container(self, of: str, told: dict[str, Any]) -> None:
        if pod := told.get("pod"):
            self._belongs(of, _safe("pod", str(pod)))
            self._need(_safe("pod", str(pod)), of, "cluster")
        for name in _texts(told, "depends_on"):
            self._need(of, self._of_edge(name), "compose")
        mode = str(told.get("network_mode") or "")
        if mode.startswith(("container:", "service:")):
            self._need(of, self._of_edge(mode.partition(":")[2]), "network")
        self._connect_config(of, told)
        for mount in _texts(told, "mounts"):
            name = mount.partition(":")[0]
            if name and not name.startswith(("/", ".", "kube-api-access")):
                self._need(of, self._add(_safe("volume", name)), "volume")

    def _connect_config(self, of: str, told: dict[str, Any]) -> None:
        """Servers that the environment and the command name."""
        named = [host for variable in _texts(told, "env") for host in hosts_in_env(variable)]
        named += [host for word in _texts(told, "command") for host in hosts_in_text(word)]
        for host in named:
            callee = self._named(host, "container") or _outside(host)
            if callee and not self.same(of, callee):
                self._need(of, self._add(callee), "env")

    def _connect_pod(self, of: str, told: dict[str, Any]) -> None:
        kind, _, owner = str(told.get("owner") or "").partition("/")
        workload = kube_words.workload_of(name_of(of)) if kind in ("ReplicaSet", "workload", "") else owner
        for name in dict.fromkeys(word for word in (owner, workload) if word):
            above = self._add(kube_words.kube_entity("deployment", name))
            self._belongs(of, above)
            self._need(above, of, "cluster")
        if node := told.get("node"):
            self._belongs(of, self._add(_safe("host", str(node))))
            self._need(of, _safe("host", str(node)), "node")
        for claim in _texts(told, "claims"):
            self._need(of, self._add(_safe("volume", claim)), "volume")
        if account := told.get("service_account"):
            self._need(of, self._add(_safe("user", str(account))), "account")

    def _connect_workload(self, of: str, told: dict[str, Any]) -> None:
        kind, _, owner = str(told.get("owner") or "").partition("/")
        if owner and kind != "Node":
            above = self._add(kube_words.kube_entity(kind, owner))
            self._belongs(of, above)
            self._need(above, of, "cluster")
        if account := told.get("service_account"):
            self._need(of, self._add(_safe("user", str(account))), "account")
        self._connect_config(of, told)

    def _connect_claim(self, of: str, told: dict[str, Any]) -> None:
        for pod in _texts(told, "used_by"):
            self._need(self._add(_safe("pod", pod)), of, "volume")
        if named := told.get("storage_class"):
            self._need(of, self._add(_safe("volume", str(named))), "storage")

    def _connect_object(self, of: str, told: dict[str, Any]) -> None:
        for endpoint in _texts(told, "endpoints"):
            if owner := self.address_owner(endpoint.rpartition(":")[0] if endpoint.count(":") == 1 else endpoint):
                self._need(of, owner, "endpoint")

    def _connect_name(self, _of: str, told: dict[str, Any]) -> None:
        owner = next((hit for address in _texts(told, "addresses") if (hit := self.address_owner(address))), None)
        if owner:
            self._call(owner, str(told.get("query") or "").rstrip("."))

    def _connect_event(self, of: str, told: dict[str, Any]) -> None:
        made = re.match(r"Created pod: (\S+)|Scaled (?:up|down) replica set (\S+)", str(told.get("message") or ""))
        if made:
            child = self._add(_safe("pod", made[1]) if made[1] else kube_words.kube_entity("replicaset", made[2]))
            self._belongs(child, of)
            self._need(of, child, "cluster")

    # Names

    def _add(self, of: str) -> str:
        self._root.setdefault(of, of)
        return of

    def _call(self, of: str, name: str) -> None:
        if name and name.lower() != name_of(of).lower():
            self._alias.setdefault(name.lower(), of)

    def _has(self, of: str, address: str) -> None:
        address = address.partition("/")[0].strip("[]")
        if _ADDRESS.fullmatch(address):
            owners = self._address[address]
            if of in owners:
                owners.remove(of)
            owners.append(of)

    def _group(self, of: str) -> str:
        root = self._root.get(of, of)
        return root if root == of else self._group(root)

    def _known_group(self, of: str) -> str:
        """The group of the entity, or of what its name means."""
        return self._group(of if of in self._root else self.resolve(of) or of)

    def _join(self, a: str, b: str) -> None:
        """Both are one thing; the kind nearer to what runs stands for it."""
        first, second = sorted((self._group(self._add(a)), self._group(self._add(b))), key=lambda e: (_rank(e), e))
        self._root[second] = first

    def _join_by_name(self) -> None:
        named: dict[str, list[str]] = defaultdict(list)
        for of in sorted(self._root):
            if kind_of(of) in _RUNNING:
                named[name_of(of)].append(of)
        for alike in named.values():
            for other in alike[1:]:
                self._join(alike[0], other)

    def _join_lonely_containers(self, facts: tuple[Fact, ...]) -> None:
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
                self._join(_safe("pod", home), container)

    def _named(self, name: str, kind: str) -> str | None:
        name = name.strip().strip("/").lower()
        if not name:
            return None
        if found := self._exact(name, kind):
            return found
        host, colon, port = name.rpartition(":")
        if colon and port.isdigit() and (found := self._exact(host, kind)):
            return found
        host = host if colon and port.isdigit() else name
        if "@" in host:  # user@host, rabbit@node
            return self._named(host.rpartition("@")[2], kind)
        return (
            self._exact(host.partition(".")[0], kind)
            if "." in host and not _ADDRESS.fullmatch(host) and self._is_near(host)
            else None
        )

    def _is_near(self, host: str) -> bool:
        """Whether the first label of a dotted name may be meant: a name inside the cluster, never a public one."""
        return bool(_CLUSTER.search(host)) or (
            host.count(".") == 1
            and self._exact(host.partition(".")[0], "") is not None
            and not re.search(r"\.(?:com|org|net|io|dev|de|cn|co)$", host)
        )

    def _exact(self, name: str, kind: str) -> str | None:
        if owner := self.address_owner(name):
            return owner
        found = self._by_name.get(name, ())
        if kind and (match := next((of for of in found if kind_of(of) == kind), None)):
            return match
        if found:
            return found[0]
        alias = self._alias.get(name)
        if alias is None and len(name) > _SHORT_ID and re.fullmatch(r"[0-9a-f]+", name):
            alias = self._alias.get(name[:_SHORT_ID])
        return alias

    @property
    def _by_name(self) -> dict[str, tuple[str, ...]]:
        """Lower-case name -> entities, those that run first."""
        if len(self._named_cache) != len(self._root):
            names: dict[str, list[str]] = defaultdict(list)
            for of in sorted(self._root, key=lambda e: (_rank(e), e)):
                names[name_of(of).lower()].append(of)
            self._names = {name: tuple(of) for name, of in names.items()}
            self._named_cache = frozenset(self._root)
        return self._names

    @staticmethod
    def _stem(source: str) -> str:
        return re.sub(r"[,;|\n]", "_", PurePosixPath(source).name.partition(".")[0]) or "unknown"

    # Dependencies

    def _of_edge(self, name: str) -> str:
        return self.resolve(name) or self._add(name if is_entity(name) else _safe("service", name))

    def _need(self, caller: str, callee: str, origin: str) -> None:
        if caller != callee:
            self._needs.setdefault((self._add(caller), self._add(callee)), origin)

    def _belongs(self, of: str, to: str) -> None:
        for one, other in ((of, to), (to, of)):
            if other not in self._related[one]:
                self._related[one].append(other)

    @cached_property
    def _members(self) -> dict[str, tuple[str, ...]]:
        members: dict[str, list[str]] = defaultdict(list)
        for of in sorted(self._root):
            members[self._group(of)].append(of)
        return {group: tuple(found) for group, found in members.items()}

    @cached_property
    def _callees(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for caller, callee in self._needs:
            found[self._group(caller)].add(self._group(callee))
        return dict(found)

    def _reach(self, start: str) -> frozenset[str]:
        """All groups that a group needs, directly or through others."""
        if start not in self._reached:
            seen: set[str] = set()
            rest = [start]
            while rest:
                for group in self._callees.get(rest.pop(), ()):
                    if group not in seen:
                        seen.add(group)
                        rest.append(group)
            self._reached[start] = frozenset(seen)
        return self._reached[start]

    @cached_property
    def _reached(self) -> dict[str, frozenset[str]]:
        return {}


def _rank(of: str) -> int:
    kind = kind_of(of)
    return _RUNNING.index(kind) if kind in _RUNNING else len(_RUNNING) + KINDS.index(kind)


def _safe(kind: str, name: str) -> str:
    try:
        return entity(kind, name)
    except ValueError:
        return entity(kind, "unknown")


def _texts(told: dict[str, Any], name: str) -> Iterator[str]:
    value = told.get(name)
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, str))


def _outside(host: str) -> str | None:
    """A server that nothing here is: external where its name is public or an address, else a missing service."""
    name, colon, port = host.rpartition(":")
    name = name if colon and port.isdigit() else host
    if not re.search(r"[a-zA-Z]", name):
        return entity("external", name) if _ADDRESS.fullmatch(name) else None
    if re.search(r"[<>{}$]", name) or len(name) < 2:
        return None
    return _safe("external" if "." in name and not _CLUSTER.search(name) else "service", name)
