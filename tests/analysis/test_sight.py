"""Whether a source looks at what an alert is about, and what to connect where none does."""

from dataclasses import replace

import pytest

from analysis.sight import connect, unseen
from domain.facts import Fact
from tests.analysis.test_accounts import FULL, case, finding

CHECKOUT = (Fact("unit", "service:checkout", {}),)


@pytest.mark.parametrize("name", ["vm1", "VM1.example.org", "localhost", "10.0.0.5"])
def test_the_machine_that_sources_look_at_is_seen_by_any_of_its_names(name: str) -> None:
    assert unseen(case(("HostDown", (f"host:{name}",)), findings=()), 0) == ""


def test_another_machine_is_not_seen() -> None:
    assert unseen(case(("HostDown", ("host:db-99",)), findings=(FULL,)), 0) == "host:db-99"


def test_a_service_of_another_machine_is_not_seen_though_one_of_its_name_runs_here() -> None:
    there = case(("Down", ("service:checkout",)), findings=(), facts=CHECKOUT, on=(("db-99", "10.9.9.9"),))
    here = replace(there, on=(("db-99", "vm1"),))
    assert (unseen(there, 0), unseen(here, 0)) == ("host:db-99", "")


def test_one_of_the_names_is_enough() -> None:
    assert unseen(case(("Down", ("service:cart", "service:checkout")), findings=(), facts=CHECKOUT), 0) == ""
    assert unseen(case(("Down", ("service:cart", "service:shop")), findings=(), facts=CHECKOUT), 0) == "service:cart"


def test_what_a_finding_is_about_is_seen_but_not_what_a_mere_passage_is_about() -> None:
    found = finding("service:cart", "log.error")
    of = case(("Down", ("service:cart",)), findings=(found,))
    assert unseen(of, 0) == ""
    assert unseen(replace(of, findings=(replace(found, signature="disk-full/passage"),)), 0) == "service:cart"


def test_each_alert_is_judged_by_its_own_names() -> None:
    of = case(("HostDown", ("host:vm1",)), ("HostDown", ("host:db-99",)), ("Odd", ()), findings=())
    assert [unseen(of, at) for at in range(3)] == ["", "host:db-99", ""]


def test_in_a_recording_nothing_is_unseen() -> None:
    assert unseen(case(("HostDown", ("host:db-99",)), findings=(), seen=()), 0) == ""


def test_what_to_connect_is_of_the_kind_that_is_missing() -> None:
    assert "`docker_host`" in connect("container:web") and "`host_name`" in connect("host:db-99")
    assert "`log_globs`" in connect("service:cart")
