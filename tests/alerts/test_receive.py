import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import alerts
from alerts import receive, receivers
from domain.alert import AlertStatus
from domain.codec import dumps
from domain.errors import BadConfiguration, UnknownSource, UnreadablePayload

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
FIRED = datetime(2026, 3, 4, 10, 22, tzinfo=UTC)


def entry(**changes: object) -> dict[str, object]:
    """One alert as Alertmanager posts it."""
    return {
        "status": "firing", "labels": {"alertname": "DiskFull", "severity": "critical", "instance": "db-1:9100"},
        "annotations": {"summary": "disk full"}, "startsAt": "2026-03-04T10:22:00Z",
        "endsAt": "0001-01-01T00:00:00Z", "fingerprint": "aa11", **changes,
    }  # fmt: skip


def group(*entries: object, **changes: object) -> dict[str, object]:
    """A group as Alertmanager posts it."""
    return {
        "version": "4",
        "groupKey": "{}:{}",
        "truncatedAlerts": 0,
        "status": "firing",
        "alerts": list(entries),
    } | changes


def test_a_firing_alert_has_its_labels_its_start_and_no_end():
    got = receive(group(entry()), NOW)
    (alert,) = got.alerts

    assert (got.source, got.gaps) == ("alertmanager", ())
    assert (alert.name, alert.severity, alert.status, alert.fingerprint) == (
        "DiskFull", "critical", AlertStatus.FIRING, "aa11",
    )  # fmt: skip
    assert (alert.starts_at, alert.ends_at) == (FIRED, None)


def test_a_resolved_alert_has_its_end():
    (alert,) = receive(group(entry(status="resolved", endsAt="2026-03-04T10:29:00+01:00")), NOW).alerts

    assert alert.status is AlertStatus.RESOLVED
    assert alert.ends_at == datetime(2026, 3, 4, 9, 29, tzinfo=UTC)


def test_a_group_gives_one_alert_per_entry_each_with_its_own_status():
    got = receive(group(entry(), entry(status="resolved", fingerprint="bb22")), NOW)

    assert [alert.status.value for alert in got.alerts] == ["firing", "resolved"]


def test_alerts_that_alertmanager_cut_off_are_told_as_a_gap():
    assert any("7 alerts" in gap for gap in receive(group(entry(), truncatedAlerts=7), NOW).gaps)


def test_entries_that_are_no_objects_are_told_as_a_gap_and_the_others_are_read():
    got = receive(group(entry(), "odd", None), NOW)

    assert len(got.alerts) == 1
    assert any("2 entries" in gap for gap in got.gaps)


def test_a_missing_fingerprint_is_made_of_the_labels_whatever_their_order():
    labels = {"alertname": "DiskFull", "b": "2", "a": "1"}
    turned = dict(reversed(labels.items()))
    one, other, third = (
        receive(group(entry(labels=given, fingerprint=None)), NOW).alerts[0].fingerprint
        for given in (labels, turned, labels | {"a": "3"})
    )

    assert one == other != third
    assert len(one) == 16


@pytest.mark.parametrize("value", [None, "", "never", 0, [], {"a": 1}, "0001-01-01T00:00:00Z", True])
def test_a_start_that_says_nothing_is_none(value):
    assert receive(group(entry(startsAt=value)), NOW).alerts[0].starts_at is None


def test_odd_fields_do_not_stop_an_alert():
    odd = entry(labels={"alertname": "X", "n": 7, "deep": {"a": 1}, "none": None}, annotations=None, status=5)
    (alert,) = receive(group(odd), NOW).alerts

    assert (alert.name, alert.labels["n"], alert.labels["deep.a"]) == ("X", "7", "1")
    assert alert.status is AlertStatus.FIRING


def test_a_group_without_its_list_is_read_as_one_alert_with_a_gap():
    body = {"groupKey": "k", "commonLabels": {"alertname": "Lost"}, "commonAnnotations": {"summary": "s"}}
    got = receive(body, NOW)

    assert [alert.name for alert in got.alerts] == ["Lost"]
    assert got.gaps


def test_an_alert_inside_a_wrapper_is_found_and_told_as_a_gap():
    got = receive({"alert": group(entry()), "evidence": {"logs": []}}, NOW)

    assert (got.source, got.alerts[0].name) == ("alertmanager", "DiskFull")
    assert any("wrapped" in gap for gap in got.gaps)


def test_an_object_that_nobody_knows_is_read_by_the_usual_names_with_a_gap():
    body = {
        "title": "[demo] CPU high on orders-db", "state": "alerting", "alert_source": "demo",
        "commonLabels": {"alertname": "CpuHigh", "severity": "critical", "service": "orders"},
        "commonAnnotations": {"summary": "CPU above 90 %", "db_instance_identifier": "orders-db"},
    }  # fmt: skip
    got = receive(body, NOW)
    (alert,) = got.alerts

    assert (got.source, alert.name, alert.severity, alert.status.value) == ("generic", "CpuHigh", "critical", "firing")
    assert alert.labels["service"] == "orders"
    assert alert.annotations["db_instance_identifier"] == "orders-db"
    assert any("no receiver knows" in gap for gap in got.gaps)


@pytest.mark.parametrize("state", ["ok", "Resolved", "CLOSED", "recovered", "normal", "UP"])
def test_the_generic_receiver_knows_the_words_for_an_end(state):
    assert receive({"name": "x", "status": state}, NOW).alerts[0].status is AlertStatus.RESOLVED


def test_a_list_of_objects_gives_an_alert_each():
    assert [a.name for a in receive([{"name": "a"}, {"title": "b"}], NOW).alerts] == ["a", "b"]


def test_an_object_without_anything_like_a_name_is_an_alert_with_a_gap():
    got = receive({"weird": {"x": 1}}, NOW)

    assert len(got.alerts) == 1
    assert any("name" in gap for gap in got.gaps[1:])


@pytest.mark.parametrize("body", [None, 3, "text", [], {}, True])
def test_a_body_that_is_no_object_is_refused_with_one_clear_line(body):
    with pytest.raises(UnreadablePayload, match="JSON object"):
        receive(body, NOW)


def test_a_handshake_of_sns_is_accepted_without_an_alert():
    got = receive({"Type": "SubscriptionConfirmation", "TopicArn": "arn", "SubscribeURL": "https://x"}, NOW)

    assert (got.source, got.alerts) == ("cloudwatch", ())
    assert any("by hand" in gap for gap in got.gaps)


def test_a_heartbeat_of_uptime_kuma_is_up_or_down():
    def body(status: int) -> dict[str, object]:
        return {"heartbeat": {"status": status, "time": "2026-03-04 10:22:00", "msg": "timeout"},
                "monitor": {"id": 3, "name": "shop", "url": "https://shop.test"}, "msg": "[shop] down"}  # fmt: skip

    down, up = receive(body(0), NOW).alerts[0], receive(body(1), NOW).alerts[0]
    assert (down.status.value, up.status.value, down.starts_at) == ("firing", "resolved", FIRED)
    assert down.fingerprint == up.fingerprint


def test_a_named_source_reads_its_own_bodies_and_an_unknown_name_is_refused():
    assert receive(group(entry()), NOW, "alertmanager").source == "alertmanager"
    with pytest.raises(UnknownSource, match="nobody"):
        receive(group(entry()), NOW, "nobody")


def test_every_file_of_the_folder_is_a_receiver_and_the_generic_one_is_asked_last():
    names = [receiver.name for receiver in receivers()]

    assert names[-1] == "generic"
    assert len(names) == len(set(names)) >= 12


def test_a_file_that_does_not_load_stops_the_start_and_names_itself(tmp_path: Path, monkeypatch):
    (tmp_path / "broken_sender.py").write_text("NAME = 'broken'\n", encoding="utf-8")
    monkeypatch.setattr(alerts, "__path__", [str(tmp_path), *alerts.__path__])
    receivers.cache_clear()
    try:
        with pytest.raises(BadConfiguration, match=r"alerts/broken_sender\.py does not load"):
            receivers()
    finally:
        monkeypatch.undo()
        receivers.cache_clear()
        sys.modules.pop("alerts.broken_sender", None)


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
WORDS = """alerts labels status startsAt title commonLabels groupKey event data incident alert Message evalMatches
    ruleName orgId messages id"""
KEYS = st.sampled_from(WORDS.split())
bodies = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)


@settings(max_examples=300)
@given(bodies)
def test_any_json_gives_alerts_or_one_clear_refusal(body):
    try:
        got = receive(body, NOW)
    except UnreadablePayload as refusal:
        assert "\n" not in str(refusal)
        return
    assert all(alert.name and alert.fingerprint for alert in got.alerts)
    assert dumps(got) == dumps(receive(body, NOW))


def test_a_start_in_the_future_is_told_as_a_gap_and_a_small_skew_is_not():
    ahead = receive(group(entry(startsAt="2026-03-04T11:30:00Z")), NOW)
    close = receive(group(entry(startsAt="2026-03-04T10:32:00Z")), NOW)

    assert any("clock" in gap for gap in ahead.gaps)
    assert close.gaps == ()


def test_a_body_that_the_named_sender_does_not_know_is_read_by_the_one_who_does_and_told():
    got = receive(group(entry()), NOW, "pagerduty")

    assert got.source == "alertmanager"
    assert got.gaps == ("pagerduty does not know this body",)


def test_an_object_with_nothing_in_it_is_no_alert():
    for body in ({"alerts": []}, {"alerts": None, "title": ""}):
        assert receive(body, NOW, "alertmanager").alerts == ()
    assert len(receive({"alerts": [], "title": "x"}, NOW, "alertmanager").alerts) == 1
