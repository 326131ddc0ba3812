import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.lines.templates import Miner, mine


@pytest.mark.parametrize(
    ("lines", "groups"),
    [
        (["2026-08-18T10:15:58Z INFO took 12ms for user 7", "2026-08-18T10:15:59Z INFO took 3.5s for user 8"], 1),
        (["Connection from 10.0.0.1:4022 closed", "Connection from [2001:db8::1]:443 closed"], 1),
        (["open /var/log/a.log ok", "open /srv/x/b-2.log ok"], 1),
        (["job 550e8400-e29b-41d4-a716-446655440000 done", "job 9883556f-2c1d-6e5b-4a3f-2e1d0c9b8a7f done"], 1),
        (["fetch https://x.example/a?b=1 took long", "fetch http://y.example/ took long"], 1),
        (['relation "users" does not exist', 'relation "orders" does not exist'], 1),
        (["mail to bob@example.org queued", "mail to amy@example.net queued"], 1),
        (["worker web-7f9c8 restarted", "worker db-11ab2 restarted"], 1),
        (["backup of shop succeeded", "backup of shop failed"], 2),
        (["Opened session", "Closed session"], 2),
        (["blocks <1, 2, 3> freed", "blocks <4, 5> freed"], 1),
        (['{"ts":1,"msg":"took 3 ms","user":"a"}', '{"ts":2,"msg":"took 9 ms","user":"b"}'], 1),
        (['{"ts":1,"msg":"took 3 ms"}', '{"ts":2,"msg":"lost leader"}'], 2),
        (['ts=1 level=info msg="took 3ms" user=a', 'ts=2 level=info msg="took 9ms" user=b'], 1),
        (['ts=1 level=info msg="took 3ms" user=a', 'ts=2 level=error msg="disk is full" user=b'], 2),
    ],
)
def test_lines_that_say_the_same_are_one_template(lines: list[str], groups: int) -> None:
    assert len(mine(lines)) == groups


def test_a_template_counts_its_lines_and_keeps_the_first_three() -> None:
    lines = [f"2026-08-18 10:15:{i:02d} ERROR request {i} failed" for i in range(9)] + ["", "bye"]
    top, other = mine(lines)
    assert (top.text, top.count, top.first, top.last) == ("request <*> failed", 9, 1, 9)
    assert top.samples == tuple(lines[:3])
    assert (other.text, other.count, other.first) == ("bye", 1, 11)


def test_requests_of_an_access_log_are_told_apart_by_method_and_status() -> None:
    line = '10.0.0.{} - - [18/Aug/2026:10:15:58 +0000] "{} /{} HTTP/1.1" {} 12 "-" "curl"'
    requests = [("GET", 200), ("GET", 200), ("GET", 502), ("POST", 200), ("GET", 200)]
    found = mine(line.format(n, method, n, status) for n, (method, status) in enumerate(requests))
    texts = [(template.text, template.count) for template in found]
    assert texts == [('<*> "GET <*>" 200 <*>', 3), ('<*> "GET <*>" 502 <*>', 1), ('<*> "POST <*>" 200 <*>', 1)]


def test_the_id_depends_on_the_text_alone() -> None:
    assert mine(["took 3 ms"])[0].id == mine(["x", "took 9 ms"])[1].id


def test_a_miner_names_the_template_of_each_line() -> None:
    miner = Miner()
    first, second, third = (miner.add(line, n) for n, line in enumerate(["took 3 ms", "bye", "took 4 ms"], 1))
    assert first == third != second
    assert miner.template(first).count == 2


@given(st.lists(st.text(max_size=80), max_size=20))
@settings(max_examples=80)
def test_every_line_is_counted_once(lines: list[str]) -> None:
    spoken = [line for line in lines if line and not line.isspace()]
    assert sum(template.count for template in mine(lines)) == len(spoken)


def test_templates_do_not_drift_until_they_match_anything() -> None:
    bodies = ["cart was emptied", "seat got reserved", "price being computed", "user has paid", "mail is queued"]
    lines = [f"svc#{n} TraceID: {n}f SpanID: {n}a {body}" for n, body in enumerate(bodies)]
    assert len(mine(lines)) == len(bodies)


@pytest.mark.parametrize(
    ("lines", "groups"),
    [
        (['10.0.0.1 "GET /a/1" 200 0.4ms agent="x"', '10.0.0.1 "GET /b" 200 9ms agent="y z"'], 1),
        (['10.0.0.1 "GET /a/1" 200 0.4ms', '10.0.0.1 "GET /a/1" 500 0.4ms'], 2),
        (["GET /a 200 12 ms", "PUT /a 200 12 ms"], 2),
        (['  File "/srv/a.py", line 3, in call', '  File "/srv/lib/b.py", line 271, in other'], 1),
        (["    at org.shop.Cart.add(Cart.java:12)", "    at java.base/java.lang.Thread.run(Unknown Source)"], 1),
        (["bind: $1 = 'a', $2 = NULL", "bind: $1 = '7', $2 = 'b', $3 = 'c'"], 1),
        (["found Trip(id=7, to=Stop(name=a))", "found Trip(id=8, to=null)"], 1),
        (["names: [a, b, c] read", "names: [] read"], 1),
        (["all: [Trip(id=7), Trip(id=8)] read", "all: [Trip(id=9)] read"], 1),
        (["result: {a=1, b={c=2}}", "result: {}"], 1),
        (["sent {'a': 1} to queue", "sent {'b': [1, 2]} to queue"], 1),
        (["read data: [Trip(id=7), Trip(id=", "read data: [Trip(id=7, n=4), Tr"], 1),  # cut
        (["query[A] shop from 10.0.0.1", "query[AAAA] shop from 10.0.0.1"], 2),
        (["[get][Get Food Start!]", "[get][Get Food List!]"], 2),
    ],
)
def test_what_a_value_holds_does_not_count_and_what_a_program_chose_does(lines: list[str], groups: int) -> None:
    assert len(mine(lines)) == groups


def test_a_word_that_takes_many_values_is_a_variable_and_one_that_takes_few_is_not() -> None:
    users = ["amy", "bob", "cem", "dan", "eve", "fay"]
    lines = [f"session of {user} was {what}" for user in users for what in ("renewed", "dropped")]
    assert [(t.text, t.count) for t in mine(lines)] == [
        ("session of <*> was renewed", 6),
        ("session of <*> was dropped", 6),
    ]


def test_what_a_miner_said_of_a_line_can_be_asked_again_when_more_have_come() -> None:
    miner = Miner()
    said = [miner.add(f"session of {user} ended", n) for n, user in enumerate(["amy", "bob", "cem", "dan", "eve"], 1)]
    assert len({miner.find(each) for each in said}) == 1
    found = miner.template(said[1])
    assert (found.text, found.count, found.first, found.last) == ("session of <*> ended", 5, 1, 5)
    assert [t.count for t in miner.templates()] == [5]


def test_a_family_of_lines_stays_small_however_they_are_mixed() -> None:
    words = ["ab", "bc", "cd", "de"]
    lines = [f"p q r s t u v w {a} {b} {c} {d}" for a in words for b in words for c in words for d in words]
    assert len(mine(lines)) <= 64
