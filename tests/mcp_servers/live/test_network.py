"""The live network: real sockets, names and certificates on loopback; whatever is not allowed is never asked."""

import http.server
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from domain.facts import Fact
from domain.results import Facts
from mcp_servers.live.engine import Engine
from mcp_servers.live.firewall import rules
from mcp_servers.live.network import LiveNetwork
from mcp_servers.live.targets import Allowed, parse
from mcp_servers.live.watch import Watch
from mcp_servers.network import network
from tests.mcp_servers.live.ask import ask

WATCH = Watch("vm1", back=timedelta(minutes=5))


class Teapot(http.server.BaseHTTPRequestHandler):
    """Answers 503, and 302 to somewhere it must not be followed."""

    def do_GET(self) -> None:
        self.send_response(302 if self.path == "/away" else 503)
        self.send_header("Location", "http://192.0.2.1/secret")
        self.end_headers()
        self.wfile.write(b"upstream is down")

    def log_message(self, *of: object) -> None:
        """Says nothing."""


@pytest.fixture
def web() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Teapot)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[int]:
    """TLS with a certificate that nobody signed and that ends in three days."""
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", tmp_path / "key", "-out", tmp_path / "cert"],
        capture_output=True, check=False,
    )  # fmt: skip
    if made.returncode:
        pytest.skip(f"openssl cannot make a certificate: {made.stderr[-200:]!r}")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Teapot)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.handle_error = lambda *of: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


async def probes(allow: str, *targets: str) -> Facts:
    source = LiveNetwork(Allowed(allow.split(",")), Engine("off"), WATCH)
    return await ask(network(source), Facts, "network_probes", **({"targets": list(targets)} if targets else {}))


def of(found: Facts, kind: str, **told: object) -> Fact:
    return next(
        f
        for f in found.facts
        if f.kind == kind and all(f.attributes.get(name) == value for name, value in told.items())
    )


async def test_interfaces_routes_and_listening_sockets_are_seen(web: int) -> None:
    found = await probes("")
    assert "127.0.0.1/8" in of(found, "interface", name="lo").attributes["addresses"]  # type: ignore[operator]
    assert of(found, "socket", local=f"127.0.0.1:{web}", state="LISTEN").attributes["protocol"] == "tcp"
    assert not [fact for fact in found.facts if fact.kind == "probe"]


async def test_tcp_and_http_probes_tell_what_answers_and_what_refuses(web: int) -> None:
    found = await probes(f"localhost:{web},127.0.0.1:9,http://127.0.0.1:{web}/health")
    assert of(found, "probe", type="tcp", target=f"localhost:{web}").attributes["ok"] is True
    refused = of(found, "probe", target="127.0.0.1:9").attributes
    assert refused["ok"] is False and "refused" in str(refused["error"])
    answer = of(found, "probe", type="http").attributes
    assert (answer["ok"], answer["status"], answer["body"]) == (False, "503", "upstream is down")


async def test_a_redirect_is_told_and_never_followed(web: int) -> None:
    found = await probes(f"http://127.0.0.1:{web}/away")
    assert of(found, "probe", type="http").attributes["status"] == "302"


async def test_a_certificate_is_read_though_nobody_trusts_it(secured: int) -> None:
    told = of(await probes(f"tls:localhost:{secured}"), "certificate").attributes
    assert 2 < float(str(told["days_left"])) < 3.1
    assert told["self_signed"] is True and told["chain_ok"] is False and told["names"] == ["localhost"]


async def test_a_name_that_does_not_resolve_is_told_and_nothing_is_connected_to() -> None:
    found = await probes("no-such-host.invalid:443")
    assert of(found, "dns", query="no-such-host.invalid").attributes["status"] in ("NXDOMAIN", "SERVFAIL")
    assert not [fact for fact in found.facts if fact.kind == "probe"]


async def test_what_the_settings_do_not_allow_is_refused_with_a_reason(web: int) -> None:
    found = await probes("*.shop:443,10.0.0.0/8:5432", f"127.0.0.1:{web}", "file:///etc/passwd", "http://u:p@x/")
    assert not [fact for fact in found.facts if fact.kind == "probe"]
    refused, *malformed = found.searched.problems
    assert refused == f"127.0.0.1:{web}: refused, network_allow does not list it; it lists *.shop:443, 10.0.0.0/8:5432"
    assert len(malformed) == 2


async def test_patterns_allow_targets_on_request(web: int) -> None:
    found = await probes("127.0.0.0/8:*", f"127.0.0.1:{web}")
    assert of(found, "probe", target=f"127.0.0.1:{web}").attributes["ok"] is True


@pytest.mark.parametrize(
    ("entries", "target", "allowed"),
    [
        ("db:5432", "db:5432", True),
        ("db:5432", "db:5433", False),
        ("db:5432", "db", True),  # its name may be asked for
        ("db", "db:22", True),
        ("*.shop:443", "https://api.shop/x", True),
        ("*.shop:443", "https://api.shop.evil/x", False),
        ("10.0.0.0/8:5432", "10.2.3.4:5432", True),
        ("10.0.0.0/8:5432", "11.2.3.4:5432", False),
        ("10.0.0.0/8:5432", "10.evil.example:5432", False),
        ("https://api/health", "https://api/other", True),
        ("https://api/health", "http://api/health", False),
        ("", "localhost:1", False),
    ],
)
def test_the_allow_list(entries: str, target: str, allowed: bool) -> None:
    assert (not Allowed(entries.split(",")).refusal(parse(target))) is allowed


LISTED = """
import subprocess
from mcp_servers.live.firewall import rules
from mcp_servers.live.watch import Watch
rule = "iptables -A INPUT -d 127.0.0.1 -p tcp --dport 5432 -j DROP"
subprocess.run(rule.split(), check=True)
for fact in rules(Watch("vm1")):
    print(fact.entity, fact.attributes.get("target"), fact.attributes.get("policy"), fact.attributes.get("rule"))
"""


def test_the_rules_of_the_packet_filter_are_told() -> None:
    done = subprocess.run(
        ["unshare", "--net", sys.executable, "-c", LISTED], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no iptables in a network namespace here: {done.stderr[-200:]!r}")
    assert "network:INPUT None ACCEPT None" in done.stdout
    (dropped,) = [line for line in done.stdout.splitlines() if " DROP " in line]
    assert dropped.startswith("network:INPUT DROP None 0") and "dpt:5432" in dropped


def test_who_is_not_root_sees_no_rules_and_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert rules(WATCH) == []
