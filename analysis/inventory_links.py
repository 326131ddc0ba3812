"""Who needs whom and who belongs together, from what facts say: compose, environment, volumes, owners, endpoints."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from analysis.addresses import hosts_in_env, hosts_in_text
from analysis.captures import kube_words
from analysis.inventory_names import Names, outside, safe, texts
from domain.entity import is_entity, kind_of, name_of
from domain.facts import Fact


class Links:
    """Grows while facts are connected; afterwards it is only asked."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.needs: dict[tuple[str, str], str] = {}  # (caller, callee) -> origin
        self.related: dict[str, list[str]] = defaultdict(list)

    def connect(self, fact: Fact) -> None:
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
            "certificate": self._connect_certificate,
        }.get(fact.kind)
        if reader is not None:
            reader(of, told)

    def settle(self, facts: Iterable[Fact]) -> None:
        """Where all that was captured is of one machine, its containers need it, and it needs its disks."""
        known = tuple(facts)
        self._settle_queries(known)
        hosts = {
            fact.entity for fact in known if kind_of(fact.entity) == "host" and fact.kind not in ("node", "memory")
        }
        if len(hosts) != 1 or any(fact.kind == "pod" for fact in known):
            return
        (host,) = hosts
        for of in sorted({fact.entity for fact in known}):
            if kind_of(of) == "container":
                self.need(of, host, "host")
            elif kind_of(of) == "disk":
                self.need(host, of, "host")

    def _settle_queries(self, known: tuple[Fact, ...]) -> None:
        """The statements of a document that tells of one database are that database's."""
        databases: dict[str, set[str]] = defaultdict(set)
        for fact in known:
            if kind_of(fact.entity) == "database":
                databases[fact.source].add(fact.entity)
        for of, source in sorted({(f.entity, f.source) for f in known if kind_of(f.entity) == "query"}):
            if len(owners := databases.get(source, set())) == 1:
                self._belongs(of, next(iter(owners)))

    def _connect_container(self, of: str, told: dict[str, Any]) -> None:
        if pod := told.get("pod"):
            self._belongs(of, safe("pod", str(pod)))
            self.need(safe("pod", str(pod)), of, "cluster")
        for name in texts(told, "depends_on"):
            self.need(of, self.of_edge(name), "compose")
        mode = str(told.get("network_mode") or "")
        if mode.startswith(("container:", "service:")):
            self.need(of, self.of_edge(mode.partition(":")[2]), "network")
        self._connect_config(of, told)
        for mount in texts(told, "mounts"):
            name = mount.partition(":")[0]
            if name and not name.startswith(("/", ".", "kube-api-access")):
                self.need(of, self._names.add(safe("volume", name)), "volume")

    def _connect_config(self, of: str, told: dict[str, Any]) -> None:
        """Servers that the environment and the command name."""
        named = [host for variable in texts(told, "env") for host in hosts_in_env(variable)]
        named += [host for word in texts(told, "command") for host in hosts_in_text(word)]
        for host in named:
            callee = self._names.named(host, "container") or outside(host)
            if callee and self._names.group(of) != self._names.group(callee):
                self.need(of, self._names.add(callee), "env")

    def _connect_pod(self, of: str, told: dict[str, Any]) -> None:
        kind, _, owner = str(told.get("owner") or "").partition("/")
        workload = kube_words.workload_of(name_of(of)) if kind in ("ReplicaSet", "workload", "") else owner
        for name in dict.fromkeys(word for word in (owner, workload) if word):
            above = self._names.add(kube_words.kube_entity("deployment", name))
            self._belongs(of, above)
            self.need(above, of, "cluster")
        if node := told.get("node"):
            self._belongs(of, self._names.add(safe("host", str(node))))
            self.need(of, safe("host", str(node)), "node")
        for claim in texts(told, "claims"):
            self.need(of, self._names.add(safe("volume", claim)), "volume")
        if account := told.get("service_account"):
            self.need(of, self._names.add(safe("user", str(account))), "account")

    def _connect_workload(self, of: str, told: dict[str, Any]) -> None:
        kind, _, owner = str(told.get("owner") or "").partition("/")
        if owner and kind != "Node":
            above = self._names.add(kube_words.kube_entity(kind, owner))
            self._belongs(of, above)
            self.need(above, of, "cluster")
        if account := told.get("service_account"):
            self.need(of, self._names.add(safe("user", str(account))), "account")
        self._connect_config(of, told)

    def _connect_claim(self, of: str, told: dict[str, Any]) -> None:
        for pod in texts(told, "used_by"):
            self.need(self._names.add(safe("pod", pod)), of, "volume")
        if named := told.get("storage_class"):
            self.need(of, self._names.add(safe("volume", str(named))), "storage")

    def _connect_object(self, of: str, told: dict[str, Any]) -> None:
        for endpoint in texts(told, "endpoints"):
            if owner := self._names.address_owner(
                endpoint.rpartition(":")[0] if endpoint.count(":") == 1 else endpoint
            ):
                self.need(of, owner, "endpoint")

    def _connect_name(self, of: str, told: dict[str, Any]) -> None:
        owner = next((hit for address in texts(told, "addresses") if (hit := self._names.address_owner(address))), None)
        if owner:
            self._names.call(owner, str(told.get("query") or "").rstrip("."))
        elif kind_of(of) == "service":  # nothing that runs has the address: it is the name's own
            for address in texts(told, "addresses"):
                if not address.startswith("127."):
                    self._names.has(of, address)

    def _connect_certificate(self, of: str, _told: dict[str, Any]) -> None:
        """A certificate belongs to the server whose name it bears."""
        server = self._names.named(name_of(of), "service")
        if server and server != of:
            self._belongs(of, server)

    def _connect_event(self, of: str, told: dict[str, Any]) -> None:
        made = re.match(r"Created pod: (\S+)|Scaled (?:up|down) replica set (\S+)", str(told.get("message") or ""))
        if made:
            child = self._names.add(safe("pod", made[1]) if made[1] else kube_words.kube_entity("replicaset", made[2]))
            self._belongs(child, of)
            self.need(of, child, "cluster")

    def of_edge(self, name: str) -> str:
        """The entity that an edge names; one that nobody knows is a service."""
        return self._names.resolve(name) or self._names.add(name if is_entity(name) else safe("service", name))

    def need(self, caller: str, callee: str, origin: str) -> None:
        """The caller needs the callee; what was seen first tells the origin."""
        if caller != callee:
            self.needs.setdefault((self._names.add(caller), self._names.add(callee)), origin)

    def _belongs(self, of: str, to: str) -> None:
        """Both belong together."""
        for one, other in ((of, to), (to, of)):
            if other not in self.related[one]:
                self.related[one].append(other)
