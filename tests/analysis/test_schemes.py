"""Servers that do not know the scheme."""

from analysis.joins.schemes import joined
from tests.analysis.joining import case, fact


def told(command: str, text: str) -> int:
    return len([*joined(case([fact("reading", "host:localhost", command=command, text=text)]))])


def test_plain_http_of_the_same_name_behind_https_is_told() -> None:
    ask = "curl -si -X POST https://reg.example.net/v2/a/blobs/uploads/ | grep -i location"
    assert told(ask, "Location: http://reg.example.net/v2/a/blobs/uploads/1") == 1
    assert told(ask, "Location: https://reg.example.net/v2/a/blobs/uploads/1") == 0
    assert told(ask, "Location: http://other.example.net/") == 0
    assert told(ask.replace("https", "http"), "Location: http://reg.example.net/") == 0
