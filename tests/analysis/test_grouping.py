from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

from analysis.grouping import Account, Grouping, Keyed, Known, Limits, Member, Near, neighbours
from domain.alert import Alert, AlertStatus

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)


def alert(name: str, *keys: str, near: tuple[str, ...] = ()) -> Keyed:
    return Keyed(Alert("test", name, fingerprint=name), keys, near)


def grouping(known: Known | None = None, limits: Limits | None = None) -> Grouping:
    return Grouping(known or Known(), (), NOW, (f"new-{n}" for n in count(1)), limits or Limits())


def test_the_next_alert_of_a_post_sees_where_the_last_one_went():
    group = grouping()
    placed = [group.place(alert(name, "about db")) for name in ("a", "b", "a")]

    assert [one.account for one in placed] == [Account.NEW, Account.JOINED, Account.DUPLICATE]
    assert {one.incident_id for one in placed} == {"new-1"}
    assert placed[1].why == "same about db"


def test_the_strongest_key_decides():
    known = Known(keyed={"group g": Near("by-group", NOW), "about db": Near("by-name", NOW)})

    assert grouping(known).place(alert("a", "group g", "about db")).incident_id == "by-group"


def test_what_an_alert_is_about_comes_before_what_that_depends_on():
    known = Known(keyed={"about web": Near("web", NOW), "about db": Near("db", NOW)})

    assert grouping(known).place(alert("a", "about web", near=("about db",))).incident_id == "web"
    assert grouping(known).place(alert("b", "about x", near=("about db",))).incident_id == "db"


def test_a_key_is_forgotten_after_its_window_and_that_of_a_group_after_longer():
    old = Near("old", NOW - timedelta(minutes=30))
    known = Known(keyed={"group g": old, "about db": old})

    assert grouping(known).place(alert("a", "about db")).account is Account.NEW
    assert grouping(known).place(alert("b", "group g")).incident_id == "old"


def test_what_resolves_within_its_post_fires_in_no_incident_any_more():
    group, fires = grouping(), alert("a")
    ends = replace(fires, alert=replace(fires.alert, status=AlertStatus.RESOLVED))
    placed = [group.place(one) for one in (fires, ends, fires)]

    assert [one.account for one in placed] == [Account.NEW, Account.RESOLVED, Account.COOLDOWN]


def test_an_alert_whose_incident_was_closed_just_now_goes_back_to_it():
    known = Known(members={("test", "a"): Member("closed", firing=False, closed=True)})

    assert grouping(known).place(alert("a")).account is Account.COOLDOWN


def test_in_a_storm_one_incident_collects_what_fits_nowhere_and_the_rest_goes_where_it_belongs():
    group = grouping(Known(keyed={"about db": Near("db", NOW)}), Limits(storm=2))
    placed = [group.place(alert(str(n))) for n in range(6)]

    assert [one.incident_id for one in placed] == ["new-1", "new-2", *["new-3"] * 4]
    assert [one.storm for one in placed] == [False, False, True, False, False, False]
    assert group.place(alert("x", "about db")).incident_id == "db"


def test_neighbours_are_what_the_names_need_and_not_the_names_themselves():
    assert neighbours(["web", "db"], {"web": ["db", "cache"]}) == ("about cache",)
