"""A proxy that passes no WebSocket upgrade on."""

from analysis.joins.websocket_upgrades import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

PASS = fact("setting", "container:nginx", name="location /.proxy_pass", value="http://ha:8123")
HOST = fact("setting", "container:nginx", name="location /.proxy_set_header", value="Host $host")
MISSED = finding("container:ha", "log.error", 'message="No WebSocket UPGRADE hdr: None"')


def told(*facts: Fact, missed: bool = True) -> list[str]:
    return [each.fact.entity for each in joined(case(facts, [MISSED] if missed else []))]


def test_a_location_without_upgrade_is_told_when_the_server_misses_it() -> None:
    assert told(PASS, HOST) == ["container:nginx"]
    upgrade = fact("setting", "container:nginx", name="location /.proxy_set_header", value="Upgrade $http_upgrade")
    assert told(PASS, upgrade) == []
    assert told(HOST) == []
    assert told(PASS, HOST, missed=False) == []
