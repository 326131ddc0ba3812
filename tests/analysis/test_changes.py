"""Which change is to blame among those that came before."""

from datetime import UTC, datetime, timedelta

import pytest

from analysis.changes import before, guilty, is_idle, reach, suspicions
from domain.results import Change, Edge

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
EDGES = [Edge("web", "cart"), Edge("cart", "db")]


def change(id: str, minutes: float, entity: str, kind: str = "commit", **more: object) -> Change:
    return Change(id, AT - timedelta(minutes=minutes), entity, kind, str(more.pop("summary", "")), **more)  # type: ignore[arg-type]


def deploy(commit: str, minutes: float, entity: str) -> Change:
    return change(f"deploy-{commit}", minutes, entity, "deploy", commit=commit)


def blamed(changes: list[Change], texts: list[str] | None = None, diffs: dict[str, str] | None = None) -> list[str]:
    known = reach(before(changes, AT, 1440), "web", EDGES)
    return [each.change.id for each in suspicions(known, "web", texts or [], diffs or {})]


def test_only_changes_of_the_time_before_are_listed_the_latest_first() -> None:
    listed = before(
        [change("old", 2000, "a"), change("b", 50, "a"), change("a", 5, "a"), change("later", -5, "a")], AT, 1440
    )
    assert [(one.id, one.minutes_before) for one in listed] == [("a", 5.0), ("b", 50.0)]


def test_a_change_is_reachable_where_the_symptom_needs_what_it_changed() -> None:
    known = reach([change("a", 1, "db"), change("b", 1, "pkg/codec"), change("c", 1, "web")], "web", EDGES)
    assert [(one.reachable, one.distance) for one in known] == [(True, 2), (None, None), (True, 0)]
    assert reach([change("a", 1, "web")], "db", EDGES)[0].reachable is False


def test_a_commit_that_was_deployed_stands_before_the_later_one_that_was_not() -> None:
    assert blamed([change("live", 60, "cart"), deploy("live", 50, "cart"), change("idle", 5, "pkg/money")])[0] == "live"


def test_a_change_of_what_does_not_run_is_not_to_blame() -> None:
    docs = change("docs", 5, "web", files=("docs/api.md", "web/style.css"))
    assert is_idle(docs) and not is_idle(change("code", 5, "web"))
    assert blamed([docs, deploy("docs", 4, "web"), change("code", 60, "cart"), deploy("code", 50, "cart")])[0] == "code"


def test_the_words_of_a_diff_that_the_symptom_uses_decide_between_two_deploys() -> None:
    both = [change(id, 40, "cart", summary="tidy") for id in ("one", "two")]
    live = [deploy(id, 30, "cart") for id in ("one", "two")]
    diffs = {"one": "+ rename banner colour", "two": "- voucher := order.Voucher"}
    assert blamed([*both, *live], ["nil voucher in checkout"], diffs)[0] == "two"


def test_a_deploy_of_a_listed_commit_is_told_by_the_commit() -> None:
    assert blamed([change("c1", 9, "cart"), deploy("c1", 8, "cart")]) == ["c1"]


def convicted(diffs: dict[str, str], texts: list[str] | None = None) -> str | None:
    both = [change(id, 40, "cart", summary="tidy") for id in ("one", "two")]
    live = [deploy(id, 30, "cart") for id in ("one", "two")]
    known = reach(before([*both, *live], AT, 1440), "web", EDGES)
    found = guilty(suspicions(known, "web", texts or [], diffs))
    return found.change.id if found else None


def test_a_change_is_convicted_by_what_its_diff_takes_away() -> None:
    assert (
        convicted({"one": "-log.Print(a)\n+log.Print(b)\n", "two": "-if x == nil { return }\n-use(x)\n+use(x)\n"})
        == "two"
    )


def test_a_change_whose_new_code_the_symptom_names_is_convicted() -> None:
    diffs = {"one": "+add(1)\n", "two": '+query("select * from order_items")\n'}
    assert convicted(diffs, ['relation "order_items" does not exist']) == "two"


def test_nobody_is_convicted_where_no_diff_gives_a_reason() -> None:
    assert convicted({}) is None
    assert convicted({"one": "-a := b + c\n+a := sum(b, c)\n"}) is None


MORE = "-  .maxAttempts(2)\n+  .maxAttempts(8)\n"
SLOWER = "-  timeout: 10s\n+  timeout: 2s\n"


@pytest.mark.parametrize(("diff", "blamed"), [(MORE, True), (SLOWER, False)])
def test_a_caller_is_to_blame_for_what_it_asks_too_often_alone(diff: str, blamed: bool) -> None:
    edges = [Edge("shop", "prices")]
    (known,) = reach([change("c1", 5, "shop")], "prices", edges)
    assert (known.reachable, known.distance) == (False, -1)
    (found,) = suspicions([known], "prices", ["prices is slow, its queue is full"], {"c1": diff})
    assert ("shop calls prices" in found.why) is blamed


def switched(minutes: float, id: str = "strict_reservation", entity: str = "stock", onset: float = 8.0) -> float:
    (known,) = reach([change(id, minutes, entity, "flag", summary=f"flag {id} off->on")], "stock", [])
    told = ["stock: reservations fail"]
    return suspicions([known], "stock", told, {}, (), AT - timedelta(minutes=onset))[0].effect


def test_a_flag_switched_right_before_the_trouble_that_names_what_fails_is_a_reason() -> None:
    assert switched(9) > 0


@pytest.mark.parametrize(
    "other",
    [
        {"minutes": 40},  # long before
        {"minutes": 3},  # after the trouble began
        {"minutes": 9, "id": "new_banner"},  # of something else
        {"minutes": 9, "entity": "shop"},  # of another service
        {"minutes": 9, "id": "stock_page"},  # names but the service itself
    ],
)
def test_another_flag_is_none(other: dict[str, object]) -> None:
    assert switched(**other) == 0  # type: ignore[arg-type]


def test_the_nearer_to_the_onset_the_more_suspicious() -> None:
    both = [change("far", 50, "web", "deploy"), change("near", 21, "web", "deploy")]
    known = reach(before(both, AT, 600), "web", EDGES)
    scores = {one.change.id: one.score for one in suspicions(known, "web", [], {}, (), AT - timedelta(minutes=20))}
    assert scores["near"] > scores["far"] + 0.3


def test_what_good_changes_do_as_well_convicts_nobody_who_is_not_known_to_be_live_there() -> None:
    told, diffs = ["web is slow"], {"c1": "+SELECT DISTINCT a FROM b\n"}
    unknown = reach(before([change("c1", 5, "reports")], AT, 600), "web", EDGES)
    assert guilty(suspicions(unknown, "web", told, diffs)) is None
    live = reach(before([change("c1", 5, "cart"), deploy("c1", 4, "cart")], AT, 600), "web", EDGES)
    assert guilty(suspicions(live, "web", told, diffs)) is not None


def test_who_works_on_a_queue_suffers_for_a_change_of_the_queue() -> None:
    edges = [Edge("mail-queue", "worker"), Edge("shop", "worker")]
    (queue,) = suspicions(reach([change("c1", 5, "mail-queue", "deploy")], "worker", edges), "worker", [], {})
    (caller,) = suspicions(reach([change("c1", 5, "shop", "deploy")], "worker", edges), "worker", [], {})
    assert queue.score > caller.score and "worker works on what mail-queue delivers" in queue.why
