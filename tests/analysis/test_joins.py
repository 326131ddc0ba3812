"""What follows from several sources at once: stale addresses, blocked ports, pools above a limit."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from analysis.case import Case
from analysis.combined import combined
from analysis.inventory import Inventory
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact
from domain.results import Edge
from domain.runbook import Condition, Runbook, Signature, StateTest

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
STALE = Runbook(
    "dns-stale-address", "d", "dns.stale_address", "container", "s",
    signatures=(Signature("stale_fact", "{entity} uses {addresses} for {query}: {error}", 0.95,
                          state=StateTest("dns", (Condition("status", equals="stale"),))),),
)  # fmt: skip
BLOCKED = Runbook(
    "network-firewall-drop", "d", "network.firewall_drop", "network", "s",
    signatures=(Signature("blocks", "{chain} blocks {blocks}", 0.9,
                          state=StateTest("firewall", (Condition("blocks", present=True),))),),
)  # fmt: skip
POOLS = Runbook(
    "connections", "d", "database.connections_exhausted", "database", "s",
    signatures=(Signature("pools", "{fact_name}: {size} of {max}", 0.6,
                          state=StateTest("pool", (Condition("used_percent", above=100),))),),
)  # fmt: skip
LOOPBACK = Runbook(
    "network-loopback-only", "d", "network.loopback_only", "service", "s",
    signatures=(Signature("elsewhere", "{process} listens on {local} alone, {remote} is refused", 0.9,
                          state=StateTest("socket", (Condition("remote", present=True),))),),
)  # fmt: skip
KNOWLEDGE = (STALE, BLOCKED, POOLS, LOOPBACK)
REFUSED = (
    'connect() failed (111: Connection refused) while connecting to upstream, upstream: "http://172.30.0.7:8000/{}"'
)


def container(name: str, address: str, minutes: int, **more: Attribute) -> Fact:
    started = (NOW + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")
    told: dict[str, Attribute] = {"state": "running", "started_at": started}
    told |= {"addresses": [address], "networks": [f"shop={address}"]} if address else {}
    return Fact("container", f"container:{name}", told | more, "docker/containers.json")


def recreated(name: str, minutes: int) -> Fact:
    at = NOW + timedelta(minutes=minutes)
    return Fact("event", f"container:{name}", {"reason": "create", "component": "docker"}, "docker/events.jsonl", at)


def complaint(path: str = "orders/1", line: str = REFUSED, kind: str = "proxy.upstream_down") -> Finding:
    cited = (Citation("log.2", "logs/edge.log", 7, line.format(path)),)
    return Finding("service:172.30.0.7:8000", kind, "nginx was refused", cited, NOW, weight=0.75, signature="p/refused")


def case(facts: tuple[Fact, ...], *findings: Finding, edges: tuple[Edge, ...] = ()) -> Case:
    incident = Incident("i1", "502", NOW, Window(NOW - timedelta(hours=1), NOW), "UTC", ())
    places = tuple(f"infra.1/facts/{at}" for at, _ in enumerate(facts))
    inventory = Inventory.build(facts, edges)
    return Case(incident, ("container:edge",), findings, facts, (), inventory, KNOWLEDGE, edges, places=places)


def follows(of: Case) -> tuple[Finding, ...]:
    """What a runbook says of facts that were joined."""
    known = {"", *(each.signature for each in of.findings)}
    return tuple(each for each in combined(of).findings if each.signature not in known)


EDGE = container("edge", "172.30.0.2", -600)
MOVED = container("orders", "172.30.0.9", -5)


def ping(*, ok: bool) -> Fact:
    return Fact("probe", "network:172.30.0.7", {"type": "ping", "ok": ok, "host": "172.30.0.7"}, "artifacts/net.txt")


def test_an_address_that_answers_a_ping_is_a_replicas_and_not_stale() -> None:
    seen = (EDGE, MOVED, recreated("orders", -5))
    assert not follows(case((*seen, ping(ok=True)), complaint()))
    assert follows(case((*seen, ping(ok=False)), complaint()))
    taken = container("mail", "172.30.0.7", -5)  # who has it now answers as well
    assert follows(case((*seen, taken, ping(ok=True)), complaint())) == follows(case((*seen, taken), complaint())) != ()


def test_an_address_that_nobody_has_since_its_container_was_recreated_is_stale() -> None:
    (found,) = follows(case((EDGE, MOVED, recreated("orders", -5)), complaint()))
    assert (found.entity, found.kind, found.signature) == (
        "container:edge", "dns.stale_address", "dns-stale-address/stale_fact")  # fmt: skip
    assert found.statement.startswith("container:edge uses 172.30.0.7 for orders: orders was started anew at ")
    assert found.statement.endswith("with 172.30.0.9, nobody has the old one")


def test_a_stale_address_is_proven_by_the_complaint_and_by_what_the_engine_says_now() -> None:
    (found,) = follows(case((EDGE, MOVED), complaint()))
    assert [(c.call_id, c.path, c.value) for c in found.citations] == [
        ("log.2", None, None),
        ("infra.1", "/facts/1/attributes/addresses", ["172.30.0.9"]),
        ("infra.1", "/facts/1/attributes/started_at", "2026-03-04T11:55:00Z"),
    ]


@pytest.mark.parametrize("said", ["upstream sent invalid header", "upstream prematurely closed connection"])
def test_an_old_address_that_another_container_got_answers_wrongly(said: str) -> None:
    line = (
        said + ' while reading response header from upstream, request: "GET /{}", upstream: "http://172.30.0.7:8000/"'
    )
    facts = (EDGE, MOVED, container("redis", "172.30.0.7", -6))
    (found,) = follows(case(facts, complaint(line=line, kind="proxy.upstream_reset")))
    assert found.statement.endswith("172.30.0.7 is redis's now")


def test_what_looked_like_a_dead_upstream_is_part_of_the_stale_address() -> None:
    told = combined(case((EDGE, MOVED), complaint())).findings
    assert {(f.entity, f.kind) for f in told} == {("container:edge", "dns.stale_address")}
    assert [f.weight for f in told] == [0.5, 0.95]


@pytest.mark.parametrize(
    ("facts", "path"),
    [
        ((EDGE, container("orders", "172.30.0.7", -5), container("mail", "172.30.0.8", -4)), "orders/1"),
        ((EDGE, container("orders", "", -5, state="exited"), container("mail", "172.30.0.8", -4)), "orders/1"),
        ((EDGE, container("orders", "172.30.0.9", -700)), "orders/1"),
        ((EDGE, container("orders", "10.9.0.9", -5)), "orders/1"),
        ((EDGE, MOVED, container("mail", "172.30.0.7", -900)), "orders/1"),
    ],
    ids=[
        "the upstream has it",
        "the upstream stopped",
        "the upstream is older than the client",
        "another network",
        "its owner is older than the client",
    ],
)
def test_an_address_is_not_stale_when(facts: tuple[Fact, ...], path: str) -> None:
    assert follows(case(facts, complaint(path))) == ()


def test_a_fact_without_a_known_place_proves_nothing_by_itself() -> None:
    known = case((EDGE, MOVED), complaint())
    assert known.cite(1, "addresses") != ()
    assert Case(**{**vars(known), "places": ()}).cite(1, "addresses") == ()


RULE = "40 2400 DROP tcp -- * * 0.0.0.0/0 10.1.0.5 tcp dpt:5432"
DROP = Fact("firewall", "network:INPUT", {"chain": "INPUT", "target": "DROP", "packets": 40, "rule": RULE},
            "artifacts/facts.txt", line=4, quote=RULE)  # fmt: skip
SLOW = Finding("service:shop", "log.error", "shop says: connection timeout expired", (Citation("log.1", quote="x"),))


def listens(local: str) -> Fact:
    return Fact("socket", "host:localhost", {"state": "LISTEN", "local": local}, "artifacts/facts.txt", line=9)


@pytest.mark.parametrize("local", ["10.1.0.5:5432", "0.0.0.0:5432"])
def test_a_rule_that_drops_packets_to_a_listening_port_blocks_it(local: str) -> None:
    (found,) = follows(case((DROP, listens(local)), SLOW))
    assert (found.entity, found.statement) == ("network:INPUT", f"INPUT blocks {local}")
    assert found.citations[0].quote == DROP.quote


def test_a_blocked_port_rests_on_who_listens_and_not_on_the_heading_of_a_list() -> None:
    heading = "Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess"
    told = f"{heading}\n0 1 10.1.0.9:40914 10.1.0.5:5432"
    waiting = Fact("reading", "host:localhost", {"command": "ss -tan state syn-sent", "text": told},
                   "artifacts/facts.txt", line=18, quote=heading)  # fmt: skip
    listener = replace(listens("10.1.0.5:5432"), quote="LISTEN 0 80 10.1.0.5:5432 0.0.0.0:*")
    (found,) = follows(case((DROP, listener, waiting), SLOW))
    assert [cited.quote for cited in found.citations] == [DROP.quote, listener.quote]


@pytest.mark.parametrize("local", ["10.1.0.6:5432", "10.1.0.5:80"])
def test_a_rule_for_another_address_or_port_blocks_nobody(local: str) -> None:
    assert follows(case((DROP, listens(local)), SLOW)) == ()


def test_a_dropping_rule_that_nobody_suffers_from_is_no_finding() -> None:
    assert follows(case((DROP, listens("10.1.0.5:5432")))) == ()


def pool(name: str, size: int) -> Fact:
    return container(name, "", -9, env=[f"DB_POOL_SIZE={size}", "REDIS_POOL_SIZE=500"])


LIMIT = Fact("setting", "database:shop", {"name": "max_connections", "value": 100}, "artifacts/facts.txt")


def test_pools_that_together_exceed_the_limit_are_told_with_their_sizes() -> None:
    (found,) = follows(case((LIMIT, pool("api", 60), pool("jobs", 50))))
    assert (found.entity, found.statement) == ("database:shop", "api 60, jobs 50: 110 of 100")


@pytest.mark.parametrize("sizes", [(50, 50), (150,)])
def test_pools_within_the_limit_or_of_one_client_are_no_join(sizes: tuple[int, ...]) -> None:
    assert follows(case((LIMIT, *(pool(f"c{n}", size) for n, size in enumerate(sizes))))) == ()


def resolved(name: str, address: str) -> Fact:
    return Fact("dns", f"service:{name}", {"query": name, "status": "NOERROR", "addresses": [address]}, "network")


def probed(name: str, port: int, error: str = "") -> Fact:
    told: dict[str, Attribute] = {"type": "tcp", "host": name, "port": port, "target": f"{name}:{port}"}
    return Fact("probe", f"service:{name}", told | {"ok": not error, "error": error or None}, "network")


def opened(local: str) -> Fact:
    return Fact("socket", "process:python3", {"state": "LISTEN", "local": local, "process": "python3"}, "network")


def test_a_name_that_moved_while_a_proxy_calls_its_old_address_is_stale() -> None:
    (found,) = follows(case((resolved("orders", "172.30.0.9"), probed("orders", 8000)), complaint()))
    assert (found.entity, found.kind) == ("service:edge", "dns.stale_address")
    assert "172.30.0.7 for orders: orders resolves to 172.30.0.9 now" in found.statement


def test_a_name_told_with_the_address_taken_for_it_needs_no_probe() -> None:
    java = complaint(line="connect to orders/172.30.0.7:8000 failed: Connection timed out")
    (found,) = follows(case((resolved("orders", "172.30.0.9"),), java))
    assert (found.entity, found.kind) == ("service:edge", "dns.stale_address")
    assert follows(case((resolved("mail", "172.30.0.9"),), java)) == ()
    assert follows(case((resolved("orders", "172.30.0.7"),), java)) == ()
    turns = complaint(line="connect to orders/93.184.216.34:8000 failed: Connection timed out")
    assert follows(case((resolved("orders", "93.184.216.35"),), turns)) == ()


@pytest.mark.parametrize(
    "facts",
    [
        (resolved("orders", "172.30.0.7"), probed("orders", 8000)),  # it did not move
        (resolved("orders", "172.30.0.9"), probed("orders", 8000, "Connection refused")),  # it is down there, too
        (resolved("orders", "172.30.0.9"), probed("orders", 9000)),  # another service
        (resolved("a", "172.30.0.8"), probed("a", 8000), resolved("b", "172.30.0.9"), probed("b", 8000)),  # which?
    ],
)
def test_an_address_that_may_be_meant_is_not_stale(facts: tuple[Fact, ...]) -> None:
    assert follows(case(facts, complaint())) == ()


@pytest.mark.parametrize(
    "facts",
    [
        (resolved("orders", "172.30.0.9"), probed("mail", 8000)),  # what answers is another machine
        (resolved("orders", "172.30.0.9"),),  # nobody probed it
        (probed("orders", 8000),),  # nobody looked it up
    ],
)
def test_a_name_is_stale_only_if_it_was_looked_up_and_answered_itself(facts: tuple[Fact, ...]) -> None:
    assert follows(case(facts, complaint())) == ()


def test_a_name_that_was_probed_and_looked_up_twice_is_one_name() -> None:
    web = replace(probed("orders", 8000), attributes=probed("orders", 8000).attributes | {"type": "http"})
    again = resolved("orders.", "172.30.0.9")
    facts = (resolved("orders", "172.30.0.9"), again, probed("orders", 8000), web)
    (found,) = follows(case(facts, complaint()))
    assert found.kind == "dns.stale_address"


def interface(address: str, name: str = "eth0") -> Fact:
    return Fact("interface", f"network:{name}", {"name": name, "addresses": [address, "127.0.0.1/8"]}, "network")


REFUSED_HERE = probed("orders", 8000, "Connection refused")
HERE = (interface("10.1.0.5/24"), resolved("orders", "10.1.0.5"))


def test_who_listens_on_loopback_alone_is_why_others_are_refused() -> None:
    (found,) = follows(case((*HERE, opened("127.0.0.1:8000"), REFUSED_HERE)))
    assert (found.entity, found.kind) == ("service:orders", "network.loopback_only")
    assert found.statement == "python3 listens on 127.0.0.1:8000 alone, orders:8000 is refused"


def test_a_probe_that_does_not_tell_its_target_is_named_by_host_and_port() -> None:
    told = {name: value for name, value in REFUSED_HERE.attributes.items() if name != "target"}
    (found,) = follows(case((*HERE, opened("127.0.0.1:8000"), Fact("probe", "service:orders", told, "network"))))
    assert found.statement == "python3 listens on 127.0.0.1:8000 alone, orders:8000 is refused"


def test_the_refusal_and_the_socket_told_twice_are_one_finding() -> None:
    facts = (*HERE, *HERE, opened("127.0.0.1:8000"), opened("127.0.0.1:8000"), REFUSED_HERE, REFUSED_HERE)
    assert len(follows(case(facts))) == 1


@pytest.mark.parametrize(
    "facts",
    [
        (opened("127.0.0.1:8000"), probed("orders", 8000)),
        (opened("127.0.0.1:8000"), probed("orders", 8000, "timed out")),
        (opened("127.0.0.1:8000"), opened("10.0.0.4:8000"), REFUSED_HERE),
        (opened("127.0.0.1:8001"), REFUSED_HERE),
        (opened("127.0.0.1:8000"), probed("localhost", 8000, "Connection refused")),
        (opened("127.0.0.1:8000"), probed("localhost.", 8000, "Connection refused")),
        (opened("127.0.0.1:8000"), resolved("me", "127.0.1.1"), probed("me", 8000, "Connection refused")),
    ],
)
def test_loopback_is_not_blamed_without_both(facts: tuple[Fact, ...]) -> None:
    assert follows(case((*HERE, *facts))) == ()


@pytest.mark.parametrize(
    "facts",
    [
        (interface("10.1.0.5/24"), resolved("orders", "10.99.0.1")),  # another machine refused
        (resolved("orders", "10.1.0.5"),),  # nobody told this machine's addresses
        (interface("10.1.0.5/24"),),  # nobody told whose name it is
    ],
)
def test_loopback_is_not_blamed_for_what_another_machine_refuses(facts: tuple[Fact, ...]) -> None:
    assert follows(case((*facts, opened("127.0.0.1:8000"), REFUSED_HERE))) == ()


def test_an_address_that_is_probed_is_the_machines_by_what_it_is_known_as() -> None:
    refused = probed("10.1.0.5", 8000, "Connection refused")
    known = case((opened("127.0.0.1:8000"), refused))
    assert follows(known) == ()
    seen = replace(known.incident, seen=(("web-1", "10.1.0.5"),))
    assert len(follows(replace(known, incident=seen))) == 1


@pytest.mark.parametrize(("address", "count"), [("10.1.0.5", 0), ("10.1.0.6", 1)])
def test_of_several_machines_the_one_that_refuses_must_have_the_socket(address: str, count: int) -> None:
    first = (interface("10.1.0.5/24"), opened("0.0.0.0:22"))
    second = (interface("10.1.0.6/24"), interface("10.2.0.6/24", "eth1"), opened("127.0.0.1:8000"))
    known = case((*first, *second, resolved("orders", address), REFUSED_HERE))
    seen = replace(known.incident, seen=(("web-1", "10.1.0.5"), ("web-2", "10.1.0.6")))
    assert len(follows(replace(known, incident=seen))) == count


def test_a_socket_of_a_container_is_not_its_machines() -> None:
    inside = Fact("socket", "container:orders", {"state": "LISTEN", "local": "127.0.0.1:8000", "process": "python3"})
    by_name = (container("orders", "172.30.0.9", -5), inside, REFUSED_HERE)
    assert len(follows(case(by_name))) == 1
    by_host = (interface("10.1.0.5/24"), inside, probed("10.1.0.5", 8000, "Connection refused"))
    assert follows(case(by_host)) == ()
