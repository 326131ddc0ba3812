"""When a title ends an alert that no receiver knows: only where no field says the state, and never by a refusal."""

import pytest

from alerts import generic, receive, words
from tests.alerts.test_other_senders import NOW

TROUBLES = (
    "Host db1 could not be resolved", "DNS name cannot be resolved", "Up check failed on web-1", "up == 0 on web-1",
    "OK button broken", "Disk usage is up to 95%", "Latency is up 300% on checkout", "Unable to be resolved: db1",
    "The alarm couldn't be cleared", "Queue has not yet fully recovered", "Traffic is not back to normal",
    "Database recovery failed", "Recovery vault is out of reach", "Nightly back up failed on db1", "UP-link lost",
    "Memory is back up to 95%", "Backup failed to be cleared", "Unresolved names on db1",
)  # fmt: skip
ENDS = (
    "[RESOLVED] x", "x is up", "OK: x", "Recovered: x", "UP", "[OK] x", "OK - x", "[Recovery] x", "Recovery: x",
    "** RECOVERY Host Alert: x **", "x is up again", "x is back up after 5 minutes", "x is back online",
    "x: DOWN -> UP", "Monitor is UP: x", "Job that could not be resolved: resolved", "Down ended (now: Up)",
    "x is back to normal.",
)  # fmt: skip
TABLES = {
    name: entries
    for module in (generic, words)
    for name, entries in vars(module).items()
    if isinstance(entries, tuple) and all(isinstance(entry, str) for entry in entries)
}


def state(**body: object) -> str:
    got = receive(body, NOW)
    assert got.source == "generic"
    return got.alerts[0].status.value


@pytest.mark.parametrize("title", TROUBLES)
@pytest.mark.parametrize("more", [{}, {"status": "firing"}, {"severity": "critical"}, {"status": "alert"}], ids=str)
@pytest.mark.parametrize("key", ["title", "event", "name"])
def test_a_title_that_speaks_of_trouble_ends_nothing(key: str, more: dict[str, object], title: str) -> None:
    assert state(**{key: title}, **more) == "firing"


@pytest.mark.parametrize("title", ENDS)
@pytest.mark.parametrize("more", [{}, {"severity": "critical"}, {"status": "alert"}, {"type": "error"}], ids=str)
@pytest.mark.parametrize("key", ["title", "event", "name"])
def test_a_title_that_tells_of_the_end_does_where_no_field_says_the_state(
    key: str, more: dict[str, object], title: str
) -> None:
    assert state(**{key: title}, **more) == "resolved"


@pytest.mark.parametrize("title", [*TROUBLES, *ENDS])
@pytest.mark.parametrize(
    ("more", "wanted"),
    [({"status": "firing"}, "firing"), ({"state": "alerting"}, "firing"), ({"resolved": False}, "firing"),
     ({"status": "resolved"}, "resolved"), ({"is_firing": False}, "resolved")],
    ids=str,
)  # fmt: skip
def test_a_flag_or_a_field_of_a_state_counts_before_any_title(more: dict[str, object], wanted: str, title: str) -> None:
    assert state(title=title, **more) == wanted


@pytest.mark.parametrize(
    ("said", "wanted"),
    [("could not be resolved", "firing"), ("cannot be resolved", "firing"), ("unable to clear", "firing"),
     ("failed to recover", "firing"), ("changed to OK", "resolved"), ("Down ended", "resolved")],
)  # fmt: skip
def test_a_state_that_refuses_an_end_is_none(said: str, wanted: str) -> None:
    assert state(title="x", status=said) == wanted


def test_the_tables_of_keys_are_written_as_keys_are_looked_up() -> None:
    assert {"_STATES", "_STARTS", "_ENDS", "_NAMES", "_TITLES", "_YES"} <= TABLES.keys()
    assert {entry for entries in TABLES.values() for entry in entries if entry != words.key(entry)} == set()


def test_a_start_is_found_however_its_key_is_written() -> None:
    for key in ("opened_at", "openedAt", "Opened.At"):
        assert receive({"title": "x", key: "2026-06-01T11:50:00Z"}, NOW).alerts[0].starts_at is not None
