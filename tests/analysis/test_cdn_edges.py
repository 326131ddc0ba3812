"""A CDN before the origin that refuses by itself."""

# ruff: noqa: E501 (samples are as long as programs print them)

from analysis.captures import facts_of
from analysis.joins.cdn_edges import BODY, NEAR, TIMEOUT, joined
from analysis.lines.timestamps import Clock
from domain.evidence import Finding
from domain.facts import Fact
from tests.analysis.joining import NOW, case, fact, finding

EDGE = "$ head -c 150M /dev/urandom > /tmp/b; curl -s -o /dev/null -D - -T /tmp/b https://files.example.org/up | grep -iE '^HTTP|^server'\n"
DIRECT = "$ curl -s -o /dev/null -w '%{http_code}\\n' -T /tmp/b http://10.0.0.4/up\n201\n"
REFUSED = finding("service:phone", "proxy.request_too_large", signature="proxy-request-too-large/others")
OWN = finding("container:nginx", "proxy.request_too_large", signature="proxy-request-too-large/nginx")
TUNNEL = fact("container", "container:cloudflared", image="cloudflare/cloudflared:2024.9.1", state="running")


def captured(text: str) -> list[Fact]:
    return facts_of("artifacts/facts.txt", text, Clock(NOW))


def told(facts: list[Fact], *findings: Finding) -> list[tuple[str, object]]:
    return [(each.fact.entity, each.fact.attributes["name"]) for each in joined(case(facts, findings))]


def test_the_server_header_of_a_413_tells_who_refused() -> None:
    facts = captured(EDGE + "HTTP/2 413\nserver: cloudflare\n" + DIRECT)
    assert told(facts, REFUSED) == [("external:cloudflare", BODY)]
    text = next(joined(case(facts))).fact.attributes["text"]
    assert "asked directly (10.0.0.4) the origin answers" in str(text)


def test_the_own_server_that_refuses_is_no_edge() -> None:
    assert told(captured(EDGE + "HTTP/1.1 413\nserver: nginx/1.25.3\n")) == []
    assert told(captured(EDGE + "HTTP/2 413\nserver: cloudflare\n"), OWN) == []  # passed on by the edge


def test_a_time_out_is_the_edges_where_its_status_or_a_direct_answer_shows_it() -> None:
    assert told(captured(EDGE + "HTTP/2 524\nserver: cloudflare\n")) == [("external:cloudflare", TIMEOUT)]
    assert told(captured("$ curl -s -i https://a.example.org/x\nHTTP/2 524\n")) == [("external:cloudflare", TIMEOUT)]
    late = EDGE + "HTTP/2 504\nserver: CloudFront\n"
    assert told(captured(late)) == []
    assert told(captured(late + DIRECT)) == [("external:cloudfront", TIMEOUT)]


def test_behind_a_tunnel_a_413_that_no_server_wrote_of_is_likely_the_edges() -> None:
    assert told([TUNNEL], REFUSED) == [("external:cloudflare", NEAR)]
    assert told([TUNNEL], REFUSED, OWN) == []
    assert told([TUNNEL]) == []
    assert told([fact("container", "container:nginx", image="nginx:1.27")], REFUSED) == []


def test_success_through_the_edge_tells_nothing() -> None:
    assert told(captured(EDGE + "HTTP/2 201\nserver: cloudflare\n" + DIRECT)) == []


def test_an_answer_of_another_server_at_a_path_that_all_have_is_no_direct_one() -> None:
    late = "$ curl -s -i https://shop.example.org/{path}\nHTTP/2 504\nserver: CloudFront\n"
    other = "$ curl -s -o /dev/null -w '%{{http_code}}\\n' http://grafana:3000/{path}\n200\n"
    for path in ("", "healthz", "status"):
        assert told(captured(late.format(path=path) + other.format(path=path))) == []
    assert len(told(captured(late.format(path="up/v1") + other.format(path="up/v1")))) == 1


def test_a_tunnel_that_does_not_run_is_before_nothing() -> None:
    gone = fact("container", "container:cloudflared", image="cloudflare/cloudflared:2024.9.1", state="exited")
    assert told([gone], REFUSED) == []
