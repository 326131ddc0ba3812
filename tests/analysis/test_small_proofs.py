"""Two lines that together prove something."""

from analysis.joins.small_proofs import ADVERTISED, CLEANED, LEAF, RENAMED, joined
from domain.evidence import Finding
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact, finding

ASK = "openssl s_client -connect api.example.org:443 -servername api.example.org"
CHAIN = "Certificate chain\n 0 s:CN = api.example.org\n   i:C = US, O = Example CA, CN = R1"
UNVERIFIED = finding("container:shop", "log.error", "Error: unable to verify the first certificate")


def told(*facts: Fact, found: tuple[Finding, ...] = ()) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts, found))]


def test_a_chain_of_one_is_told_when_clients_cannot_verify_it() -> None:
    assert told(fact("reading", "host:localhost", command=ASK, text=CHAIN), found=(UNVERIFIED,)) == [LEAF]
    full = f"{CHAIN}\n 1 s:C = US, O = Example CA, CN = R1\n   i:CN = Root"
    assert told(fact("reading", "host:localhost", command=ASK, text=full), found=(UNVERIFIED,)) == []
    own = " 0 s:CN = api.example.org\n   i:CN = api.example.org"
    assert told(fact("reading", "host:localhost", command=ASK, text=own), found=(UNVERIFIED,)) == []
    assert told(fact("reading", "host:localhost", command=ASK, text=CHAIN)) == []


def test_router_advertisements_are_ignored_by_a_router_that_lost_its_route() -> None:
    accept = fact("setting", "host:localhost", name="net.ipv6.conf.eth0.accept_ra", value=1)
    routes = fact("setting", "host:localhost", name="net.ipv6.conf.all.forwarding", value=1)
    lost = fact("reading", "host:localhost", command="ip -6 route show default")
    assert told(accept, routes, lost) == [ADVERTISED]
    assert told(accept, routes) == []
    assert told(accept, lost) == []
    assert told(accept, fact("setting", "host:w2", name="net.ipv6.conf.all.forwarding", value=1), lost) == []
    assert told(fact("setting", "host:localhost", name="net.ipv6.conf.eth0.accept_ra", value=2), routes, lost) == []


def test_what_is_gone_under_tmp_was_cleaned_if_the_cleaner_ran() -> None:
    gone = fact("reading", "host:localhost", command="ls -la /tmp/mysql", text="total 0")
    ran = fact("reading", "host:localhost", command="journalctl -u systemd-tmpfiles-clean", text="Finished")
    said = finding("container:php", "log.error", "(HY000/2002): No such file or directory")
    assert told(gone, ran, found=(said,)) == [CLEANED]
    assert told(gone, found=(said,)) == []
    assert told(ran, found=(said,)) == []
    elsewhere = fact("reading", "host:localhost", command="ls -la /run/mysql", text="total 0")
    assert told(elsewhere, ran, found=(said,)) == []


def test_an_old_name_is_told_where_its_new_one_runs() -> None:
    said = finding("container:backup", "log.error", "Error response from daemon: No such container: shop_db_1")
    assert told(fact("container", "container:shop-db-1", state="running"), found=(said,)) == [RENAMED]
    assert told(fact("container", "container:other-db-1", state="running"), found=(said,)) == []
