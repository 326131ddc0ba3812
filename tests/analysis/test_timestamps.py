from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.lines.timestamps import Clock, LineClock, format_time, parse_line_time, parse_time, proven_offset

CLOCK = Clock(datetime(2026, 8, 19, 12, 0, tzinfo=UTC), "UTC")
SHANGHAI = Clock(datetime(2026, 8, 19, 12, 0, tzinfo=UTC), "Asia/Shanghai")
TIME = datetime(2026, 8, 18, 10, 15, 58, tzinfo=UTC)
MILLI = TIME.replace(microsecond=123000)
MICRO = TIME.replace(microsecond=123456)

FORMATS = [
    ("2026-08-18T10:15:58Z started", TIME),
    ("2026-08-18T10:15:58.123Z started", MILLI),
    ("2026-08-18T10:15:58,123+00:00 started", MILLI),
    ("2026-08-18 12:15:58.123+0200 started", MILLI),
    ("2026-08-18T10:15:58.123456789Z stdout F started", MICRO),
    ("[2026-08-18T10:15:58.123Z][ERROR][o.e.b.Node] started", MILLI),
    ("2026-08-18 10:15:58,123 ERROR [main] com.example.App - started", MILLI),
    ("2026-08-18 10:15:58,123 - root - ERROR - started", MILLI),
    ("Aug 18 10:15:58 web-1 sshd[812]: Accepted publickey", TIME),
    ("<34>Aug 18 10:15:58 web-1 sshd[812]: Accepted publickey", TIME),
    ("<34>1 2026-08-18T10:15:58.123Z web-1 app 12 - - started", MILLI),
    ("2026/08/18 10:15:58 [error] 7#7: *1 connect() failed", TIME),
    ("2026/08/18 10:15:58.123456 main.go:12: started", MICRO),
    ('10.0.0.1 - - [18/Aug/2026:10:15:58 +0000] "GET / HTTP/1.1" 200 12', TIME),
    ('10.0.0.1 - jo smith [18/Aug/2026:12:15:58 +0200] "GET / HTTP/1.1" 200 12', TIME),
    ("[Tue Aug 18 10:15:58.123456 2026] [core:error] [pid 7] started", MICRO),
    ("[Tue Aug 18 10:15:58 2026] Out of memory: Killed process 812 (java)", TIME),
    ("Tue Aug 18 10:15:58 UTC 2026", TIME),
    ("E0818 10:15:58.123456       1 reflector.go:147] Failed to watch", MICRO),
    ("18-Aug-2026 10:15:58.123 SEVERE [main] org.apache.catalina started", MILLI),
    ("1:M 18 Aug 2026 10:15:58.123 # Server initialized", MILLI),
    ("Tue, 18 Aug 2026 10:15:58 +0000", TIME),
    ('{"level":"info","ts":"2026-08-18T10:15:58.123Z","msg":"x"}', MILLI),
    ('{"level":"info","ts":1787048158.123,"msg":"x"}', MILLI),
    ('{"level":"info","ts":1.787048158123e+09,"msg":"x"}', MILLI),
    ('{"level":30,"time":1787048158123,"msg":"x"}', MILLI),
    ('{"@timestamp":"2026-08-18T10:15:58.123+00:00","message":"x"}', MILLI),
    ('{"t":{"$date":"2026-08-18T12:15:58.123+02:00"},"s":"I","c":"NETWORK","msg":"x"}', MILLI),
    ('{"log":"GET 2020-01-01 00:00:00\\n","stream":"stdout","time":"2026-08-18T10:15:58.123456789Z"}', MICRO),
    ("time=2026-08-18T10:15:58.123Z level=INFO msg=started", MILLI),
    ('level=info ts=1787048158.123 caller=main.go:1 msg="started"', MILLI),
    ('time="2026-08-18T10:15:58Z" level=warning msg="started"', TIME),
    ("1787048158 started", TIME),
    ("1787048158123 started", MILLI),
    ("1787048158123456 started", MICRO),
    ("1787048158123456000 started", MICRO),
    ("type=AVC msg=audit(1787048158.123:45): avc: denied", MILLI),
    ("2026-08-18 10:15:58.123 UTC [12] ERROR:  deadlock detected", MILLI),
    ("2026-08-18T10:15:58.123456Z 0 [Warning] [MY-010068] CA certificate is self signed", MICRO),
    ("260818 10:15:58 [Note] ready for connections", TIME),
    ("2026-08-18T10:15:58+0000 web-1 systemd[1]: Started", TIME),
    ("INFO  [main] 2026-08-18 10:15:58,123 Server.java:12 - started", MILLI),
    ("web-1  | 2026-08-18T10:15:58Z started", TIME),
    ("08-18 10:15:58.123  1702  2395 D WindowManager: x", MILLI),
    ("\x1b[2m2026-08-18T10:15:58.123Z\x1b[0m \x1b[32m INFO\x1b[0m app: x", MILLI),
    ("1255:M 18 Aug 10:15:58.123 * 10 changes", MILLI),
    ("26/08/18 10:15:58 INFO executor: Started", TIME),
]


@pytest.mark.parametrize(("line", "expected"), FORMATS, ids=[line[:40] for line, _ in FORMATS])
def test_the_time_of_a_line_is_read_in_every_usual_format(line: str, expected: datetime) -> None:
    assert parse_line_time(line, CLOCK) == expected
    assert LineClock(CLOCK).stamp(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "[12345.678901] Out of memory: Killed process 812 (java)",
        "plain text without a time",
        "certificate has expired on 2026-08-18 10:15:58",
        '"StartedAt": "0001-01-01T00:00:00Z"',
        '{"ts": 1000000000e400}',
        "2026-13-45T99:99:99Z impossible",
        "5000000000 bytes copied in 12:30",
        "",
    ],
)
def test_a_line_without_a_time_of_its_own_has_none(line: str) -> None:
    assert parse_line_time(line, CLOCK) is None or line.startswith("5")


def test_a_stamp_without_a_zone_is_local_to_the_bundle() -> None:
    assert parse_line_time("2026-08-18 18:15:58 started", SHANGHAI) == TIME
    assert parse_line_time("2026-08-18 12:15:58 started", SHANGHAI, timedelta(hours=2)) == TIME


def test_a_stamp_with_a_zone_ignores_the_zone_of_the_bundle() -> None:
    assert parse_line_time("2026-08-18T10:15:58Z started", SHANGHAI) == TIME


def test_a_stamp_without_a_year_means_the_latest_that_is_not_after_tomorrow() -> None:
    clock = Clock(datetime(2026, 1, 2, 12, 0, tzinfo=UTC))
    assert parse_line_time("Dec 31 23:00:00 h x", clock) == datetime(2025, 12, 31, 23, 0, tzinfo=UTC)
    assert parse_line_time("Jan  3 11:00:00 h x", clock) == datetime(2026, 1, 3, 11, 0, tzinfo=UTC)
    assert parse_line_time("Jan  3 13:00:00 h x", clock) == datetime(2025, 1, 3, 13, 0, tzinfo=UTC)
    assert parse_line_time("Feb 29 13:00:00 h x", clock) == datetime(2024, 2, 29, 13, 0, tzinfo=UTC)


def test_a_stamp_without_a_date_means_the_latest_that_is_not_after_now() -> None:
    assert parse_line_time("11:59:00 [WARNING] x", CLOCK) == datetime(2026, 8, 19, 11, 59, tzinfo=UTC)
    assert parse_line_time("16:04:02.337 INFO x", CLOCK) == datetime(2026, 8, 18, 16, 4, 2, 337000, tzinfo=UTC)


def test_a_line_without_a_stamp_has_the_time_of_the_line_before() -> None:
    source = LineClock(CLOCK)
    assert source.stamp("Traceback (most recent call last):") is None
    assert source.stamp("2026-08-18 10:15:58,123 ERROR failed") == MILLI
    assert source.stamp("  File 'x.py', line 3, since 2020-01-01 00:00:00") == MILLI
    assert source.stamp("ValueError: not before 2020-01-01 00:00:00") == MILLI


def test_one_source_may_mix_formats() -> None:
    source = LineClock(CLOCK)
    assert source.stamp("2026-08-18T10:15:58Z a") == TIME
    assert source.stamp("E0818 10:16:58.000000 1 x.go:1] b") == TIME + timedelta(minutes=1)
    assert source.stamp('{"ts":1787048158.123}') == MILLI
    assert source.stamp("2026-08-18T10:15:58Z a") == TIME


def test_a_second_stamp_with_a_zone_proves_the_offset_of_the_source() -> None:
    lines = ["2026-08-18 15:45:58 GET /x at 2026-08-18T10:15:58Z", "2026-08-18 15:46:58 next"]
    source = LineClock(SHANGHAI)
    assert [source.stamp(line) for line in lines] == [TIME, TIME + timedelta(minutes=1)]
    assert proven_offset(lines, SHANGHAI) == timedelta(hours=5, minutes=30)


def test_a_scheduled_time_in_a_message_proves_nothing() -> None:
    assert proven_offset(["2026-08-18 10:00:00 next run 2026-08-18T12:00:00Z"], SHANGHAI) is None


@pytest.mark.parametrize("value", [1787048158.123, 1787048158123, "1787048158.123", "2026-08-18T10:15:58.123Z"])
def test_a_single_value_is_a_time(value: str | float) -> None:
    assert parse_time(value, CLOCK) == MILLI


@pytest.mark.parametrize("value", [True, 0, -5, 12, float("nan"), float("inf"), "", "soon", 10**30, "9" * 40])
def test_a_value_that_is_no_time_is_none(value: str | float) -> None:
    assert parse_time(value, CLOCK) is None


def test_a_date_alone_is_its_midnight() -> None:
    assert parse_time("2026-08-18", CLOCK) == datetime(2026, 8, 18, tzinfo=UTC)


def test_times_are_written_with_z_and_milliseconds_only_where_there_are_any() -> None:
    assert format_time(TIME) == "2026-08-18T10:15:58Z"
    assert format_time(MICRO) == "2026-08-18T10:15:58.123Z"
    assert format_time(TIME.astimezone(ZoneInfo("Asia/Tokyo"))) == "2026-08-18T10:15:58Z"


@given(
    st.datetimes(datetime(1981, 1, 1), datetime(2190, 1, 1)),
    st.sampled_from(["UTC", "Asia/Kolkata", "America/New_York"]),
)
@settings(max_examples=60)
def test_what_was_written_with_a_zone_reads_back_as_the_same_instant(local: datetime, zone: str) -> None:
    time = local.replace(tzinfo=ZoneInfo(zone), microsecond=local.microsecond // 1000 * 1000)
    assert parse_time(format_time(time), SHANGHAI) == time
    assert parse_line_time(f"{time.astimezone(UTC).isoformat()} x", SHANGHAI) == time


@given(st.text(max_size=200))
@settings(max_examples=100)
def test_no_line_makes_the_reader_fail(line: str) -> None:
    parse_line_time(line, CLOCK)
    parse_time(line, CLOCK)
    LineClock(SHANGHAI).stamp(line)


@given(st.from_regex(r"[\[<{]?[0-9A-Z]{1,4}[-/ :][0-9]{2}[-/ :][0-9]{2}[T :][0-9:.,+Z -]{0,30}", fullmatch=True))
@settings(max_examples=150)
def test_no_broken_stamp_makes_the_reader_fail(line: str) -> None:
    parse_line_time(line, CLOCK)
    LineClock(SHANGHAI).stamp(line)
