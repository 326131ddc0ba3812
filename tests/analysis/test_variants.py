"""A new release beside the old one: what tells them apart is told, what both have is not."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agents.offline.variants import of_logs, of_series
from analysis.canaries import convicted
from analysis.case import Case
from analysis.inventory import Inventory
from analysis.measured.variants import beside, is_newer, variant_in, variant_of
from domain.alert import Incident, Window
from domain.evidence import Finding
from domain.results import Change, Line, Searched, SeriesSummaries, SeriesSummary, Template, Templates, TextSource

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)


def series(
    entity: str, value: float, metric: str = "http_5xx_ratio", kind: str = "error", points: int = 30
) -> SeriesSummary:
    return SeriesSummary(entity, metric, points, value, value, value, value, kind=kind, source="metrics/m.csv")


def summaries(*of: SeriesSummary) -> SeriesSummaries:
    return SeriesSummaries(of, Searched("metrics"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("cart-canary", ("cart", "canary")),
        ("cart-v2", ("cart", "v2")),
        ("cart:1.4.2", ("cart", "1.4.2")),
        ("cart-7d9f8b6c5d-x2k9p", ("cart", "7d9f8b6c5d")),
        ("cart", ("cart", "")),
        ("10.0.0.7", ("10.0.0.7", "")),
        ("node-10.0.0.7", ("node-10.0.0.7", "")),
        ("cart-db-replica", ("cart-db-replica", "")),
    ],
)
def test_names_of_instances_tell_their_release(name: str, told: tuple[str, str]) -> None:
    assert variant_of(name) == told


def test_which_of_two_is_newer() -> None:
    assert is_newer("canary", "stable") and is_newer("1.10.0", "1.9.3") and is_newer("green", "blue") is None
    assert is_newer("stable", "canary") is False and is_newer("7d9f8b6c5d", "5c6b7d8f9c") is None


@pytest.mark.parametrize(
    ("line", "variant"),
    [
        ('{"version": "2.4.0", "msg": "x"}', "2.4.0"),
        ("level=error track=canary msg=x", "canary"),
        ('{"pod": "cart-7d9f8b6c5d-x2k9p"}', "7d9f8b6c5d"),
        ('{"msg": "plain"}', ""),
    ],
)
def test_lines_tell_their_release(line: str, variant: str) -> None:
    assert variant_in(line) == variant


def test_what_the_new_alone_has_is_told() -> None:
    (found,) = beside([series("cart-canary", 0.21), series("cart-stable", 0.002)])
    assert (found.service, found.new, found.old) == ("cart", "canary", "stable")
    hashes = [series("cart-7d9f8b6c5d-aaaaa", 0.3, points=12), series("cart-5c6b7d8f9c-bbbbb", 0.001, points=90)]
    assert beside(hashes)[0].new == "7d9f8b6c5d"
    (labels,) = beside([series("cart", 900, 'p99_ms{version="2.1.0"}', "latency"),
                        series("cart", 90, 'p99_ms{version="2.0.4"}', "latency")])  # fmt: skip
    assert labels.new == "2.1.0"
    (less,) = beside([series("cart-canary", 0.61, "success_ratio"), series("cart-stable", 0.99, "success_ratio")])
    assert less.new == "canary"


@pytest.mark.parametrize(
    "of",
    [
        [series("cart-canary", 0.2), series("cart-stable", 0.19)],  # both are ill: what they share is the cause
        [series("cart-canary", 0.001), series("cart-stable", 0.2)],  # the new one is the cure
        [series("cart-canary", 0.2)],  # nothing beside it
        [series("cart-canary", 0.006), series("cart-stable", 0.001)],  # noise of few requests
        [series("cart-canary", 30, "requests", "traffic"), series("cart-stable", 300, "requests", "traffic")],
        [series("cart-canary", 9, "errors"), series("cart-stable", 30, "errors")],  # counts follow the load
        [series("cart-blue", 0.2), series("cart-green", 0.001)],  # which is the new one is not told
        [series("cart-canary", 0.2, points=2), series("cart-stable", 0.002)],
        [series("cart-canary", 90, "p99_ms", "latency"), series("cart-stable", 0, "p99_ms", "latency")],  # is drained
        [series("cart-canary", 0.2), series("cart-stable", 0.0), series("cart-stable", 0, "requests", "traffic")],
        [series("cart", 9e8, "heap_bytes_new", "memory"), series("cart", 1e8, "heap_bytes_old", "memory")],  # of a JVM
        [series("cart-7d9f8b6c5d-aaaaa", 0.3, points=60), series("cart-5c6b7d8f9c-bbbbb", 0.0, points=61)],
    ],
)
def test_what_does_not_tell_the_new_from_the_old_is_no_reason(of: list[SeriesSummary]) -> None:
    assert beside(of) == [] and of_series(summaries(*of), "c1") == []


def template(source: str = "logs/cart.jsonl", count: int = 12, **more: object) -> Template:
    sample = Line(source, 4, "KeyError: 'voucher' in apply_discount", AT, "error")
    return Template("t", "KeyError", source, count, "error", AT, AT, sample, 0, count, "new", **more)  # type: ignore[arg-type]


def logs(*of: Template) -> list[tuple[str, Templates]]:
    return [("c2", Templates(of, Searched("logs")))]


def test_lines_that_only_the_new_release_writes_are_told() -> None:
    (found,) = of_logs(logs(template(variants=(("2.3.0", 0, 400), ("2.4.0", 12, 60)))), ())
    assert found.captures["new"] == "2.4.0" and "12 times against 0" in found.statement
    assert of_logs(logs(template(variants=(("2.3.0", 70, 400), ("2.4.0", 12, 60)))), ()) == []
    assert of_logs(logs(template(variants=(("2.3.0", 12, 60), ("2.4.0", 0, 400)))), ()) == []  # of the old alone
    assert of_logs(logs(template(variants=(("5c6b7d8f9c", 0, 60), ("7d9f8b6c5d", 12, 400)))), ()) == []  # which is new?
    assert of_logs(logs(template()), ()) == []


def test_logs_of_instances_are_laid_beside_each_other() -> None:
    files = [TextSource(f"logs/cart-{name}.log", "", "log", 1, 50, AT, AT) for name in ("canary", "stable")]
    assert of_logs(logs(template("logs/cart-canary.log")), files)[0].captures["old"] == "stable"
    assert of_logs(logs(template("logs/cart-canary.log"), template("logs/cart-stable.log")), files) == []
    assert of_logs(logs(template("logs/cart-canary.log")), files[:1]) == []


def case(findings: list[Finding], changes: list[Change]) -> Case:
    window = Window(AT - timedelta(hours=1), AT)
    return Case(Incident("i", "t", AT, window, "UTC", ()), ("service:cart",), tuple(findings), (), tuple(changes),
                Inventory.build(()), ())  # fmt: skip


def change(id: str, minutes: float, entity: str = "cart", kind: str = "deploy", **more: object) -> Change:
    return Change(id, AT - timedelta(minutes=minutes), entity, kind, id, minutes_before=minutes, **more)  # type: ignore[arg-type]


def test_the_change_that_the_ill_release_carries_is_convicted_and_others_step_back() -> None:
    found = of_series(summaries(series("cart-canary", 0.21), series("cart-stable", 0.002)), "c1")
    decoy = Finding("change:bbb", "change.commit", "looks bad", (), weight=0.82)
    changes = [change("d1", 90, commit="bbb"), change("d2", 20, commit="aaa"), change("aaa", 30, kind="commit"),
               change("d3", 5, "mail")]  # fmt: skip
    told = convicted(case([*found, decoy], changes)).findings
    assert [(each.entity, each.weight) for each in told if each.kind == "change.commit"] == [
        ("change:bbb", 0.3), ("change:aaa", 0.9),
    ]  # fmt: skip


def test_nobody_is_convicted_where_no_deploy_is_known_or_nothing_stands_beside() -> None:
    found = of_series(summaries(series("cart-canary", 0.21), series("cart-stable", 0.002)), "c1")
    assert convicted(case(found, [change("d3", 5, "mail")])).findings == tuple(found)
    decoy = Finding("change:bbb", "change.commit", "looks bad", (), weight=0.82)
    assert convicted(case([decoy], [change("d2", 20, commit="aaa")])).findings == (decoy,)


def test_a_deploy_after_the_trouble_or_of_another_release_is_not_convicted() -> None:
    found = of_series(summaries(series("cart-v2", 0.21), series("cart-v1", 0.002)), "c1")
    (told,) = (replace(each, onset=AT - timedelta(minutes=30)) for each in found)
    assert convicted(case([told], [change("v2", 10)])).findings == (told,)
    assert convicted(case([told], [change("v2", -5)])).findings == (told,)
    names = [each.entity for each in convicted(case([told], [change("v20", 3000), change("d2", 40)])).findings]
    assert names == ["service:cart", "change:d2"]


def test_a_canary_that_the_alert_has_nothing_to_do_with_acquits_nobody() -> None:
    found = of_series(summaries(series("mail-canary", 0.21), series("mail-stable", 0.002)), "c1")
    guilty = Finding("change:bbb", "change.commit", "looks bad", (), weight=0.82)
    assert guilty in convicted(case([*found, guilty], [change("d3", 5, "mail")])).findings


def test_series_and_logs_of_nobody_are_told_of_nobody() -> None:
    named = [series("", at, f'p99_ms{{version="{of}"}}', "latency") for at, of in ((900, "2.1.0"), (90, "2.0.4"))]
    assert beside(named) and of_series(summaries(*named), "c1") == []
    assert of_logs(logs(template("logs/.log", variants=(("2.3.0", 0, 400), ("2.4.0", 12, 60)))), ()) == []
