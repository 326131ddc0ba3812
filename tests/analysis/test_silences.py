from datetime import UTC, datetime

import pytest

from analysis.silences import matcher, silenced, written
from domain.alert import Alert
from domain.silence import Silence

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
ALERT = Alert("grafana", "DiskFull", {"team": "ops", "alertname": "other"}, severity="warning")


def holds(*texts: str) -> bool:
    return silenced(ALERT, [Silence(1, tuple(matcher(text) for text in texts), NOW, NOW)]) is not None


@pytest.mark.parametrize("text", ["alertname=DiskFull", 'alertname = "DiskFull"', "severity=warning", "source=grafana",
                                  "team=~o.*", "team!=dev", "team!~d.*", "absent=", "absent!=x"])  # fmt: skip
def test_a_matcher_holds(text: str):
    assert holds(text)


@pytest.mark.parametrize(
    "text", ["alertname=Disk", "alertname=~Disk", "team!=ops", "team!~o.*", "absent=x", "absent=~.+"]
)
def test_a_matcher_does_not_hold_and_a_pattern_matches_the_whole_value(text: str):
    assert not holds(text)


def test_all_matchers_of_a_silence_must_hold():
    assert holds("team=ops", "severity=warning")
    assert not holds("team=ops", "severity=critical")


@pytest.mark.parametrize("text", ["", "team", "=x", "team=~(", "team=~(?=x)"])
def test_what_is_no_matcher_is_refused_with_one_line(text: str):
    with pytest.raises(ValueError, match=r"matcher|RE2") as refused:
        matcher(text)
    assert "\n" not in str(refused.value)


def test_a_matcher_is_written_as_it_is_read():
    assert matcher(written(matcher('a!~"x y"'))) == matcher('a!~"x y"')
