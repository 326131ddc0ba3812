"""Which machine's clock is wrong."""

from datetime import UTC, datetime

from analysis.captures import facts_of
from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.wrong_clocks import joined
from analysis.lines.timestamps import Clock
from domain.alert import Alert, Incident, Window

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
OWN = """$ timedatectl
               Local time: Wed 2026-03-04 11:20:10 UTC
           Universal time: Wed 2026-03-04 11:20:10 UTC
                 RTC time: Wed 2026-03-04 12:00:20
System clock synchronized: no
              NTP service: inactive
"""
DATE = "$ date -u\nWed Mar  4 12:00:05 UTC 2026\n"
SERVER = "$ curl -sI http://10.0.3.9:9000/ | grep -i date\nDate: Wed, 04 Mar 2026 11:20:00 GMT\n"
THIRD = "$ curl -sI https://www.example.com | grep -i ^date\ndate: Wed, 04 Mar 2026 12:00:06 GMT\n"


def told(said: str = "files fail", **files: str) -> list[tuple[str, object]]:
    facts = tuple(f for name, text in files.items() for f in facts_of(f"artifacts/{name}.txt", text, Clock(NOW)))
    alert = Alert("generic", "a", annotations={"description": said})
    case = Case(
        Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", (alert,)), (), (), facts, (), Inventory.build(facts), ()
    )
    return [(each.fact.entity, each.fact.attributes["offset_seconds"]) for each in joined(case)]


def test_a_clock_that_the_hardware_clock_contradicts() -> None:
    assert told(store=OWN, said="files on store fail") == [("host:store", -2410)]
    assert told(facts=OWN) == [("host:localhost", -2410)]


def test_a_synchronised_clock_or_a_hardware_clock_in_local_time_is_none() -> None:
    assert told(facts=OWN.replace("synchronized: no", "synchronized: yes")) == []
    assert told(facts=OWN.replace("12:00:20", "13:20:12")) == []
    assert told(facts=OWN.replace("12:00:20", "11:20:30")) == []


def test_a_server_whose_answers_are_late_where_a_third_one_agrees_with_the_asker() -> None:
    assert told(app=DATE + SERVER + THIRD) == [("host:10.0.3.9", -2405)]
    assert told(app=DATE + SERVER) == []
    assert told(app=SERVER + THIRD) == []
    assert told(app=DATE + SERVER.replace("11:20:00", "12:00:09") + THIRD) == []


def test_its_own_word_and_that_of_others_are_one() -> None:
    assert told(store=OWN, app=DATE + SERVER + THIRD, said="files on store fail") == [("host:store", -2405)]


def test_where_two_servers_agree_against_it_the_asker_is_wrong() -> None:
    other = THIRD.replace("12:00:06", "11:20:07")
    assert told(app=DATE + SERVER + other) == [("host:localhost", 2405)]
    assert told(app=DATE + SERVER + other, said="app is odd") == [("host:app", 2405)]
    assert told(app=DATE + SERVER + THIRD.replace("12:00:06", "14:40:07")) == []


def test_answers_that_were_asked_for_later_are_not_ahead() -> None:
    later = THIRD.replace("12:00:06", "12:05:06")
    synced = OWN.replace("11:20:10", "12:00:02").replace("synchronized: no", "synchronized: yes")
    assert told(app=synced + later + later.replace("www", "api")) == []
    assert told(app=DATE + later + later.replace("www", "api")) == []
    assert told(app=DATE + THIRD + later.replace("www", "api")) == []
    assert told(app=DATE + later + DATE.replace("12:00:05", "12:05:05") + later.replace("www", "api")) == []
    unsynced = synced.replace("synchronized: yes", "synchronized: no")
    assert told(app=unsynced + later + later.replace("www", "api")) == [("host:localhost", -304)]


def test_a_server_ahead_is_told_where_one_that_was_asked_after_it_is_not() -> None:
    ahead = SERVER.replace("11:20:00", "12:05:00")
    assert told(app=DATE + ahead + THIRD) == [("host:10.0.3.9", 295)]
