"""The engine's resolver is not at fault where it was asked only for what is down."""

import pytest

from analysis.stopped import of_stopped
from domain.facts import Fact
from tests.analysis.joining import case, fact, finding

WEB = fact("container", "container:web", state="restarting")
API = fact("container", "container:api", state="running")
DOWN = finding("container:web", "state.restarting")
LOOKUP = "dial tcp: lookup {} on 127.0.0.11:53: server misbehaving"


def meant(name: str, *facts: Fact, resolver: str = "127.0.0.11") -> str:
    asked = finding(f"service:{resolver}", "dns.resolver_down", LOOKUP.format(name))
    return of_stopped(case(facts or (WEB, API), (DOWN, asked)), asked).kind


def test_a_lookup_of_what_is_down_says_nothing_of_the_resolver() -> None:
    assert meant("web") == meant("web.") == "dependency.unavailable"


@pytest.mark.parametrize("name", ["api", "mail.example.com"])
def test_a_lookup_of_what_runs_or_of_others_means_the_resolver(name: str) -> None:
    assert meant(name) == "dns.resolver_down"


def test_another_resolver_is_not_the_engines() -> None:
    assert meant("web", resolver="10.0.0.2") == "dns.resolver_down"
