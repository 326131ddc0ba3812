"""localhost taken as ::1, where only IPv4 is listened on."""

from datetime import UTC, datetime

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.localhost_families import joined
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
NODE = Finding(
    "service:worker", "network.localhost_ipv6", "s", (Citation("l.1", "logs/worker.log"),), captures={"port": "6379"}
)


def checked(output: str) -> Fact:
    told: dict[str, Attribute] = {"state": "running", "health": "unhealthy", "health_output": output}
    return Fact("container", "container:shop", told, "docker/containers.json")


def socket(local: str, of: str = "container:shop") -> Fact:
    return Fact("socket", of, {"state": "LISTEN", "local": local}, "artifacts/host.txt")


def probe(host: str, ok: bool = True) -> Fact:
    return Fact("probe", "container:shop", {"host": host, "port": 8080, "ok": ok}, "artifacts/host.txt")


def found(*facts: Fact, findings: tuple[Finding, ...] = ()) -> list[tuple[str, object, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), findings, facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["text"], f.fact.attributes["value"]) for f in joined(case)]


WGET = checked("Connecting to localhost:8080 ([::1]:8080)\nwget: can't connect to remote host: Connection refused")
CURL = checked("* Trying [::1]:8080...\n* connect to ::1 port 8080 failed: Connection refused")


def test_a_check_that_asks_at_six_what_listens_at_four_is_told() -> None:
    assert found(WGET, socket("0.0.0.0:8080")) == [("container:shop", "0.0.0.0:8080", "[::1]:8080")]
    assert found(CURL, probe("127.0.0.1")) == [("container:shop", "127.0.0.1:8080", "[::1]:8080")]


def test_so_is_a_client_on_the_only_machine() -> None:
    server = socket("127.0.0.1:6379", "process:redis-server")
    assert found(server, findings=(NODE,)) == [("service:worker", "127.0.0.1:6379", "[::1]:6379")]


def test_a_port_that_is_open_at_six_too_or_not_at_all_is_another_fault() -> None:
    assert found(WGET, socket("0.0.0.0:8080"), socket("[::]:8080")) == []
    assert found(WGET, socket(":::8080"), probe("127.0.0.1")) == []
    assert found(WGET, socket("0.0.0.0:9090")) == []
    assert found(WGET, probe("127.0.0.1", ok=False)) == []
    assert found(checked("Connecting to localhost:8080 (127.0.0.1:8080)\nrefused"), socket("0.0.0.0:8080")) == []
    assert found(WGET, socket("0.0.0.0:8080", "container:other")) == []


BUSYBOX = checked("wget: can't connect to remote host: Connection refused")


def command(url: str) -> Fact:
    told: dict[str, Attribute] = {"health_command": f"wget -q --spider {url}"}
    return Fact("container", "container:shop", told, "artifacts/host.txt")


def test_a_check_that_names_localhost_is_told_where_the_name_is_six_as_well() -> None:
    six = Fact("dns", "service:localhost", {"query": "localhost", "addresses": ["::1"]}, "artifacts/host.txt")
    four = Fact("dns", "service:localhost", {"query": "localhost", "addresses": ["127.0.0.1"]}, "artifacts/host.txt")
    asks, open_at = command("http://localhost:8080/"), socket("0.0.0.0:8080")
    assert found(BUSYBOX, asks, open_at, six) == [("container:shop", "0.0.0.0:8080", "[::1]:8080")]
    assert found(BUSYBOX, asks, open_at, four) == []
    assert found(BUSYBOX, command("http://127.0.0.1:8080/"), open_at, six) == []
    assert found(BUSYBOX, asks, socket("[::]:8080"), six) == []
