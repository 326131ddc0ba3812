"""Dropped capabilities."""

from analysis.joins.dropped_capabilities import joined
from tests.analysis.joining import case, fact, finding

CHOWN = finding(
    "container:web", "log.error", 'chown("/var/cache/nginx/client_temp", 101) failed (1: Operation not permitted)'
)
HARD = fact("container", "container:web", security=["cap_add=NET_BIND_SERVICE", "cap_drop=ALL"])


def test_a_container_without_capabilities_that_is_not_permitted_something_is_told() -> None:
    (only,) = joined(case([HARD], [CHOWN]))
    text = "the container dropped the capabilities ALL, and added NET_BIND_SERVICE only"
    assert (only.fact.entity, only.fact.attributes["text"]) == ("container:web", text)


def test_all_capabilities_no_complaint_or_another_container_tell_nothing() -> None:
    soft = fact("container", "container:web", security=["cap_add=NET_BIND_SERVICE"])
    assert [*joined(case([soft], [CHOWN]))] == []
    assert [*joined(case([HARD]))] == []
    other = finding("container:db", "log.error", "chown: Operation not permitted")
    assert [*joined(case([HARD], [other]))] == []
