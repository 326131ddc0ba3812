"""Findings about a container that runs another image now."""

from dataclasses import replace
from datetime import timedelta

from analysis.homes import homed
from analysis.replaced import replaced
from domain.facts import Fact
from tests.analysis.joining import NOW, case, fact, finding

API = "container:api"


def event(minutes: int, reason: str, image: str) -> Fact:
    return fact("event", API, NOW + timedelta(minutes=minutes), reason=reason, image=image)


def test_the_images_before_and_after_are_told_and_cited() -> None:
    known = case([event(5, "start", "api:2.0"), event(0, "die", "api:1.9"), event(6, "die", "api:2.0")])
    told = replaced(known, finding(API, "process.start_failed"))
    assert (told.captures["old_image"], told.captures["new_image"]) == ("api:1.9", "api:2.0")
    assert told.citations[-1].value == "api:2.0"


def test_a_restart_of_the_same_image_or_another_container_changes_nothing() -> None:
    same = case([event(0, "die", "api:1.9"), event(1, "start", "api:1.9@sha256:0a")])
    found = finding(API, "process.start_failed")
    assert replaced(same, found) is found
    early = replace(found, onset=NOW - timedelta(hours=1))
    swapped = case([event(0, "die", "api:1.9"), event(5, "start", "api:2.0")])
    assert replaced(swapped, early) is early
    other = finding("container:web", "process.start_failed")
    assert replaced(case([event(0, "die", "api:1.9"), event(5, "start", "api:2.0")]), other) is other


def test_what_a_container_s_log_says_of_the_alerted_service_is_about_the_container() -> None:
    known = case([fact("container", "container:shop-api", state="running")])
    assert homed(known, finding("service:shop", "x", source="logs/shop-api.log")).entity == "container:shop-api"
    assert homed(known, finding("service:shop", "x", source="logs/other.log")).entity == "service:shop"
    assert homed(known, finding("service:billing", "x", source="logs/shop-api.log")).entity == "service:billing"
    assert homed(known, finding("service:shop", "x", source="artifacts/facts.txt")).entity == "service:shop"
