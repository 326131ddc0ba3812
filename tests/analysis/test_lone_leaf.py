"""A certificate that is sent alone."""

from analysis.joins.lone_leaf import NAME, joined
from domain.evidence import Finding
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact, finding

ASK = "openssl s_client -connect api.example.org:443 -servername api.example.org"
CHAIN = "Certificate chain\n 0 s:CN = api.example.org\n   i:C = US, O = Example CA, CN = R1"
UNVERIFIED = finding("container:shop", "log.error", "Error: unable to verify the first certificate")


def told(*facts: Fact, found: tuple[Finding, ...] = ()) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts, found))]


def test_a_chain_of_one_is_told_when_clients_cannot_verify_it() -> None:
    assert told(fact("reading", "host:localhost", command=ASK, text=CHAIN), found=(UNVERIFIED,)) == [NAME]
    full = f"{CHAIN}\n 1 s:C = US, O = Example CA, CN = R1\n   i:CN = Root"
    assert told(fact("reading", "host:localhost", command=ASK, text=full), found=(UNVERIFIED,)) == []
    own = " 0 s:CN = api.example.org\n   i:CN = api.example.org"
    assert told(fact("reading", "host:localhost", command=ASK, text=own), found=(UNVERIFIED,)) == []
    assert told(fact("reading", "host:localhost", command=ASK, text=CHAIN)) == []
