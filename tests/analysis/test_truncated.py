"""A name whose answer is cut, and a program for which it does not resolve."""

from datetime import UTC, datetime

from analysis.captures import facts_of
from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.truncated import joined
from analysis.lines.timestamps import Clock
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
CUT = "$ dig @10.0.0.2 shards.example.net +noedns +ignore | grep flags\n;; flags: qr tc rd ra; QUERY: 1, ANSWER: 0\n"
TCP = "$ dig shards.example.net\n;; Truncated, retrying in TCP mode.\nshards.example.net. 30 IN A 10.1.0.4\n"
WHOLE = "$ dig shards.example.net | grep flags\n;; flags: qr rd ra; QUERY: 1, ANSWER: 3\n"
MUSL = "$ docker exec app ldd 2>&1 | head -2\nmusl libc (x86_64)\nVersion 1.2.2\n"


def captured(text: str) -> list[Fact]:
    return facts_of("artifacts/facts.txt", text, Clock(NOW))


def told(text: str, host: str = "shards.example.net") -> list[object]:
    fails = Finding(
        "container:app", "dns.resolution_failed", "s", (Citation("l.1", "logs/app.log"),), captures={"host": host}
    )
    facts = tuple(captured(text))
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (fails,), facts, (), Inventory.build(facts), ())
    return [each.fact.attributes["answered"] for each in joined(case)]


def test_the_cut_answer_and_the_client_s_library_are_told_together() -> None:
    assert told(CUT + MUSL) == ["it runs on musl 1.2.2"]
    assert told(TCP) == ["shards.example.net fails here"]


def test_a_whole_answer_or_another_name_tells_nothing() -> None:
    assert told(WHOLE + MUSL) == []
    assert told(CUT, host="db.example.net") == []
