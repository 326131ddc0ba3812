"""Who needs whom, by the connection strings of their logs."""

import re2

from agents.offline.log_addresses import SIGNATURES, needed
from domain.results import Edge, Searched, SignatureHit, SignatureHits

SERVER, START = SIGNATURES["needs.server"], SIGNATURES["needs.start"]


def hits(source: str, *hosts: str) -> SignatureHits:
    captures = tuple({"host": host} for host in hosts)
    hit = SignatureHit("needs.server", source, len(hosts), None, None, captures, (), (), "service:web")
    return SignatureHits((hit,), Searched("logs"))


def test_a_connection_string_names_its_host_whatever_its_password() -> None:
    line = "starting DATABASE_URL=postgresql://app:[redacted:password:aaf3]@app-db:5432/shop cache=redis://cache:6379/0"
    assert [m.group("host") for m in re2.finditer(SERVER, line)] == ["app-db", "cache"]
    assert not re2.search(SERVER, "GET https://shop.example/ 200 postgresql is up")


def test_an_url_counts_where_a_program_starts() -> None:
    started = re2.search(START, "INFO starting checkout 7.1.0 inventory=http://inventory.shop.internal:8084")
    assert started and started.group("host") == "inventory.shop.internal"
    assert not re2.search(START, "INFO restarted, see https://wiki.example/restarting")


def test_each_server_is_needed_once_and_nobody_needs_himself() -> None:
    found = needed(hits("logs/web.log", "app-db", "app-db.", "localhost", "web", "cache"))
    assert list(found) == [Edge("web", "app-db", "address"), Edge("web", "cache", "address")]


def test_what_a_command_printed_says_nothing_of_its_capture() -> None:
    assert list(needed(hits("artifacts/env.txt", "app-db"))) == []


def test_logs_of_live_sources_count_as_those_of_a_bundle() -> None:
    for source in ("container/web", "journal/web.service", "var/log/web.log"):
        assert list(needed(hits(source, "app-db", "app-db"))) == [Edge("web", "app-db", "address")]


def test_of_logs_that_name_no_server_nobody_is_needed() -> None:
    assert list(needed(hits("container/web"))) == []
