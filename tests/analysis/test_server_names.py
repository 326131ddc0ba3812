"""A proxy that sends no name in its handshake."""

from analysis.joins.server_names import NAME, joined
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact, finding

PASS = fact("setting", "container:nginx", name="location /.proxy_pass", value="https://saas.example.com")
FAILED = finding("container:nginx", "log.error", "SSL_do_handshake() failed (SSL: error:0A000410:SSL routines")
NAMELESS = fact(
    "reading", "host:localhost", command="openssl s_client -connect 192.0.2.1:443 -noservername",
    text="error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure",
)  # fmt: skip


def told(*facts: Fact, failed: bool = True) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts, [FAILED] if failed else []))]


def test_a_handshake_without_name_is_told_when_the_upstream_refuses_it() -> None:
    assert told(PASS, NAMELESS) == [NAME]
    sent = fact("setting", "container:nginx", name="location /.proxy_ssl_server_name", value="on")
    assert told(PASS, sent, NAMELESS) == []
    assert told(PASS) == []
    assert told(PASS, NAMELESS, failed=False) == []
