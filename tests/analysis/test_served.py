"""A certificate that is served from memory, although the renewed one is on disk."""

from datetime import UTC, datetime

import pytest

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.served import joined
from domain.alert import Incident, Window
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def certificate(days: float, **more: Attribute) -> Fact:
    told: dict[str, Attribute] = {"not_after": f"in {days} days", "days_left": days, "serial": f"s{days}"}
    return Fact("certificate", "certificate:edge", told | more, "artifacts/facts.txt")


def container(name: str, image: str, *mounts: str) -> Fact:
    return Fact("container", f"container:{name}", {"image": image, "mounts": list(mounts)}, "docker/containers.json")


def found(*facts: Fact) -> list[tuple[str, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (), facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["renewed"]) for f in joined(case)]


OLD = certificate(-1, server="shop.example.org")
FILE = certificate(60, path="/etc/letsencrypt/live/shop.example.org/fullchain.pem")
EDGE = container("edge", "nginx:1.25", "/etc/letsencrypt:/etc/letsencrypt:ro")


def test_the_server_that_mounts_the_renewed_file_still_presents_the_old_one() -> None:
    assert found(OLD, FILE, EDGE) == [("container:edge", "in 60 days")]
    renewer = container("certbot", "certbot/certbot", "/etc/letsencrypt:/etc/letsencrypt:rw")
    assert found(OLD, FILE, EDGE, renewer) == [("container:edge", "in 60 days")]
    assert found(OLD, FILE) == [("certificate:edge", "in 60 days")]


def test_names_of_the_certificate_tell_which_file_is_meant() -> None:
    wild = certificate(60, path="/certs/tls.crt", names=["*.example.org"])
    assert found(OLD, wild) == [("certificate:edge", "in 60 days")]
    assert found(OLD, certificate(60, path="/certs/tls.crt", subject="CN = other.example.org")) == []


@pytest.mark.parametrize(
    "facts",
    [
        (certificate(20, server="shop.example.org"), FILE),  # what is served still holds
        (OLD, certificate(-1, path="/etc/letsencrypt/live/shop.example.org/fullchain.pem")),  # never renewed
        (OLD, certificate(60, path="/etc/letsencrypt/live/wiki.example.org/fullchain.pem")),  # another name
        (OLD, certificate(60, server="shop.example.org")),  # another server's
    ],
)
def test_what_holds_was_never_renewed_or_is_anothers_is_none(facts: tuple[Fact, ...]) -> None:
    assert found(*facts, EDGE) == []


def test_a_file_without_a_name_is_that_of_the_server_in_which_it_was_read() -> None:
    file = certificate(60, path="/certs/tls.crt", container="container:registry")
    assert found(OLD, file) == [("container:registry", "in 60 days")]
    assert found(OLD, certificate(60, path="/certs/tls.crt")) == []
    assert found(OLD, certificate(60, path="/certs/wiki.example.org/tls.crt", container="container:wiki")) == []


def test_a_file_of_which_only_the_serial_was_read_ends_with_the_certificate_of_that_serial() -> None:
    path = "/etc/letsencrypt/live/shop.example.org/fullchain.pem"
    file = Fact("certificate", "certificate:file", {"serial": "s60", "path": path}, "artifacts/facts.txt")
    elsewhere = certificate(60, server="shop.example.org")
    assert found(OLD, elsewhere, file, EDGE) == [("container:edge", "in 60 days")]
    assert found(OLD, file, EDGE) == []


@pytest.mark.parametrize("told", [{"serial": "s60"}, {"subject": "CN = shop.example.org"}, {"days_left": 60.0}])
def test_a_file_of_which_the_end_is_not_known_renews_nothing(told: dict[str, Attribute]) -> None:
    path = "/etc/letsencrypt/live/shop.example.org/fullchain.pem"
    file = Fact("certificate", "certificate:file", {**told, "path": path}, "artifacts/facts.txt")
    assert found(certificate(-11, server="shop.example.org"), file, EDGE) == []
    unread = Fact("certificate", "certificate:edge", {"server": "shop.example.org"}, "artifacts/facts.txt")
    assert found(unread, FILE, EDGE) == []
