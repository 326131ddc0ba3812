import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.lines.levels import at_least, level

LINES = [
    ("E0818 10:15:58.123456       1 reflector.go:147] Failed to watch", "error"),
    ("2026-08-18T10:15:58.123456Z stderr I0818 10:15:58.1 1 x.go:1] ok", "info"),
    ("2026-08-18 10:15:58.123 UTC [12] ERROR:  deadlock detected", "error"),
    ("2026-08-18 10:15:58.123 UTC [12] LOG:  checkpoint complete", "info"),
    ("2026-08-18 10:15:58.123 UTC [12] PANIC:  could not write to file", "fatal"),
    ("2026-08-18 10:15:58.123 UTC [12] DETAIL:  Process 3 waits", None),
    ("1:M 18 Aug 2026 10:15:58.123 # Server initialized", "warning"),
    ("1:M 18 Aug 2026 10:15:58.123 * Ready to accept connections", "info"),
    ("\x1b[2m2026-08-18T10:15:58.123Z\x1b[0m \x1b[31mERROR\x1b[0m app: x", "error"),
    ("1255:M 18 Aug 10:15:58.123 * 10 changes", "info"),
    ('{"t":{"$date":"2026-08-18T10:15:58Z"},"s":"E","c":"NETWORK","msg":"x"}', "error"),
    ('{"level":"warn","msg":"error in it"}', "warning"),
    ('{"level":50,"time":1787048158123,"msg":"x"}', "error"),
    ('{"severity":"CRITICAL","message":"x"}', "fatal"),
    ('{"status": "error", "message": "x"}', "error"),
    ('{"log":"2026-08-18 10:15:58 ERROR x\\n","stream":"stderr","time":"2026-08-18T10:15:58Z"}', "error"),
    ("2026/08/18 10:15:58 [error] 7#7: *1 connect() failed", "error"),
    ("2026/08/18 10:15:58 [emerg] 1#1: bind() failed", "fatal"),
    ("[Tue Aug 18 10:15:58 2026] [core:error] [pid 7] x", "error"),
    ("2026-08-18 10:15:58,123 ERROR [main] com.example.App - x", "error"),
    ("2026-08-18 10:15:58,123 WARN  [main] com.example.App - x", "warning"),
    ("18-Aug-2026 10:15:58.123 SEVERE [main] org.apache x", "error"),
    ("[2026-08-18T10:15:58,123][WARN ][o.e.m.j.JvmGcMonitorService] x", "warning"),
    ("2026-08-18 10:15:58,123 - root - ERROR - x", "error"),
    ("INFO:     Started server process [1]", "info"),
    ("time=2026-08-18T10:15:58Z level=ERROR msg=x", "error"),
    ("2026-08-18T10:15:58.123Z  WARN hyper::client: x", "warning"),
    ("ERRO[0012] could not start", "error"),
    ("2026-08-18 19:21:03.178 Info HttpServer: x", "info"),
    ("2026-08-18T10:45:00Z Warning Unhealthy Pod/x", "warning"),
    ("2026-08-18T10:15:58.123456Z 0 [Warning] [MY-010068] CA", "warning"),
    ("Traceback (most recent call last):", "error"),
    ("ValueError: invalid literal", "error"),
    ("requests.exceptions.ConnectionError: refused", "error"),
    ("java.lang.OutOfMemoryError: Java heap space", "error"),
    ("panic: runtime error: index out of range", "fatal"),
    ("Error: getaddrinfo ENOTFOUND db", "error"),
    ('10.0.0.1 - - [18/Aug/2026:10:15:58 +0000] "GET / HTTP/1.1" 502 12 "-" "x"', "error"),
    ('10.0.0.1 - - [18/Aug/2026:10:15:58 +0000] "GET /ERROR HTTP/1.1" 404 12 "-" "x"', "warning"),
    ('10.0.0.1 - - [18/Aug/2026:10:15:58 +0000] "GET / HTTP/1.1" 200 12 "-" "ERROR"', "info"),
    ("08-18 10:15:58.123  1702  2395 E WindowManager: x", "error"),
    ("<11>Aug 18 10:15:58 web app: x", "error"),
    ("plain words about an error", None),
    ("   at com.example.Foo.bar(Foo.java:12)", None),
    ("", None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), LINES, ids=[line[:50] for line, _ in LINES])
def test_a_line_states_its_level_in_its_own_format(line: str, expected: str | None) -> None:
    assert level(line) == expected


def test_a_threshold_lets_worse_levels_through_and_counts_silence_as_info() -> None:
    assert at_least("fatal", "error")
    assert not at_least("warning", "error")
    assert at_least(None, "info")
    assert not at_least(None, "warning")


@given(st.text(max_size=300))
@settings(max_examples=100)
def test_no_line_makes_the_reader_fail(line: str) -> None:
    assert level(line) in (None, "debug", "info", "warning", "error", "fatal")
