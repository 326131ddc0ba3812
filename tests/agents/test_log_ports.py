"""Which ports programs say they opened, by their logs."""

import re2

from agents.offline.log_ports import opened, questions
from domain.results import Line, Searched, SignatureHit, SignatureHits

PATTERN = questions()[0]["pattern"]


def ports(*lines: str, of: str = "pod:web-1") -> list[str]:
    found = [(text, match) for text in lines if (match := re2.search(PATTERN, text))]
    captures = tuple({"port": match.group("port")} for _, match in found)
    shown = tuple(Line("logs/web.log", at, text) for at, (text, _) in enumerate(found, 1))[:3]
    hit = SignatureHit("opens.port", "logs/web.log", len(found), None, None, captures, shown,
                       tuple(each.text for each in shown), of)  # fmt: skip
    hits = SignatureHits((hit,) if found else (), Searched("logs"))
    return [each.captures["port"] for each in opened(hits, "log.1")]


def test_a_program_says_which_ports_it_opened() -> None:
    assert ports("Server listening at http://0.0.0.0:3000", "Tomcat started on port 8081 (http)") == ["3000", "8081"]


def test_a_clients_question_or_a_failure_opens_none() -> None:
    asks = 'Is the server running on host "db" (10.0.0.5) and accepting TCP/IP connections on port 5432?'
    assert ports(asks) == ports("error: nothing is listening on port 8080, connection refused") == []
    assert ports(asks, "Server listening at http://0.0.0.0:3000") == ["3000"]
    assert ports("Server listening at http://0.0.0.0:3000", of="host:w1") == []


def test_a_side_door_alone_says_nothing_of_the_one_that_is_asked() -> None:
    assert ports("metrics server listening on port 9090") == []
    assert ports("metrics server listening on port 9090", "listening on port 3000") == ["9090", "3000"]
