"""What a diff is likely to do."""

import pytest

from analysis.diffs.bounds import told_bound
from analysis.diffs.removals import effect, names, telling_line

GUARD = "@@ charge @@\n-\tif c == nil {\n-\t\treturn 0\n-\t}\n-\treturn c.Value\n+\treturn c.Value\n"
LOCK = "-\tc.mu.Lock()\n-\tdefer c.mu.Unlock()\n"
FIELD = '-\tTotal int `json:"total"`\n+\tTotal int `json:"amount"`\n'
CALL = " start()\n-seedDefaults(store)\n run()\n"
GROWS = "+var seen []string\n+func note(id string) { seen = append(seen, id) }\n"
MOVED = "-\tsum := price * count + tax\n-\tprint(sum)\n+\tsum := total(price, count, tax)\n+\tprint(sum)\n"
PATCH = "-\tgithub.com/some/lib v1.2.3\n+\tgithub.com/some/lib v1.2.4\n"
LOGGING = '-\tlog.Printf("%s", path)\n+\tlogger.Info("handled", path)\n'


@pytest.mark.parametrize(
    ("diff", "says"),
    [
        (GUARD, "removes nil"),
        (LOCK, "removes lock"),
        (FIELD, "removes total"),
        (CALL, "removes seeddefaults"),
        (GROWS, "never empties"),
    ],
)
def test_a_diff_that_takes_something_away_or_grows_for_ever_is_a_reason(diff: str, says: str) -> None:
    found = effect(diff)
    assert found.score > 0 and says in found.why


@pytest.mark.parametrize("diff", [MOVED, PATCH, LOGGING])
def test_moved_code_patch_releases_and_logging_speak_against_it(diff: str) -> None:
    assert effect(diff).score < 0


@pytest.mark.parametrize(
    "diff",
    [
        "",
        "+++ b/x.go\n--- a/x.go\n",
        "-// a nil check is not needed\n+// words\n",
        "+func extra() int { return 1 }\n",
        GROWS.replace("seen = append(seen, id)", "seen = append(lru.Trim(seen), id)"),
    ],
)
def test_nothing_can_be_told_of_comments_headers_and_code_that_is_only_new(diff: str) -> None:
    assert effect(diff).score == 0.0


def test_a_minor_release_is_no_patch_release() -> None:
    assert effect(PATCH.replace("v1.2.4", "v1.3.0")).score == 0.0


def test_names_are_the_compound_ones_of_changed_lines() -> None:
    assert names(" user_table\n+select from order_items\n-loadOrders(x)\n+plain word\n") == {
        "order_items",
        "loadOrders",
    }


@pytest.mark.parametrize(
    ("diff", "says"),
    [
        ("-max_connections: 80\n+max_connections: 8\n", "lowers max_connections from 80 to 8"),
        ("-\tdb.SetMaxOpenConns(40)\n+\tdb.SetMaxOpenConns(4)\n", "lowers db.setmaxopenconns from 40 to 4"),
        ("-callTimeout = 3 * time.Second\n+callTimeout = 300 * time.Millisecond\n", "lowers calltimeout from 3 Second"),
        ('-"retries": 2,\n+"retries": 10,\n', "raises retries from 2 to 10"),
        ("+DROP INDEX ledger_by_day;\n", "runs DROP INDEX ledger_by_day"),
    ],
)
def test_bounds_that_shrink_retries_that_grow_and_dropped_schema_are_reasons(diff: str, says: str) -> None:
    found = effect(diff)
    assert found.score > 0 and says in found.why


@pytest.mark.parametrize("diff", ["-pool_size: 50\n+pool_size: 40\n", "-memory: 512Mi\n+memory: 768Mi\n"])
def test_tuning_and_more_room_are_no_reason(diff: str) -> None:
    assert effect(diff).score <= 0


def test_a_lowered_bound_is_read_from_words_and_a_raised_one_is_not() -> None:
    assert told_bound("worker pool 50 -> 5") is not None and told_bound("replicas from 2 to 4") is None
    assert told_bound("bump to 3.2.1") is None


def test_the_line_that_tells_is_the_first_changed_one_that_holds_a_name() -> None:
    assert telling_line(GUARD, effect(GUARD).names) == (2, "-\tif c == nil {")
    assert telling_line(" nothing changed\n", ("nil",)) is None


PER_ITEM = (
    "@@ list @@\n-\trows := db.Query(ctx, joined)\n+\trows := db.Query(ctx, plain)\n \tfor rows.Next() {\n"
    "+\t\tone.Owner = s.OwnerName(ctx, one.OwnerID)\n \t\tall = append(all, one)\n \t}\n"
)
WORKER = "@@ run @@\n+\tfor {\n+\t\titems := src.Top(ctx, 5)\n+\t\tkeep(items)\n+\t}\n"
NEW_KEY = '@@ func key(sku string) string {\n-\treturn "price:" + sku\n+\treturn "price:" + sku + ":" + requestID\n'
LOST_KEY = '@@ def cache_key(sku, currency):\n-    return f"price:{sku}:{currency}"\n+    return f"price:{sku}"\n'
MAJOR = "-\tgithub.com/some/lib v1.9.3\n+\tgithub.com/some/lib v2.0.0\n"
MINOR = "-\tgithub.com/some/lib v1.9.3\n+\tgithub.com/some/lib v1.10.0\n"


@pytest.mark.parametrize(
    ("diff", "says"),
    [
        (PER_ITEM, "calls OwnerName once for each item"),
        (NEW_KEY, "makes requestID, which is new each time, part of a key"),
        (LOST_KEY, "takes currency out of a key"),
        (MAJOR, "moves github.com/some/lib to another major version"),
    ],
)
def test_a_shape_that_is_known_to_hurt_is_a_reason(diff: str, says: str) -> None:
    found = effect(diff)
    assert found.score > 0 and found.why == says


@pytest.mark.parametrize("diff", [WORKER, MINOR, PER_ITEM.replace("+\t\t", " \t\t")])
def test_a_worker_a_minor_release_and_a_call_that_was_there_are_no_such_shape(diff: str) -> None:
    assert "each item" not in effect(diff).why and "major" not in effect(diff).why


@pytest.mark.parametrize(
    ("diff", "says"),
    [
        ("-JAVA_OPTS=-Xmx2g\n+JAVA_OPTS=-Xmx512m\n", "lowers xmx from 2 g to 512 m"),
        ("-  cpu: 2\n+  cpu: 500m\n", "lowers cpu from 2 to 500 m"),
    ],
)
def test_a_bound_is_compared_in_what_it_counts(diff: str, says: str) -> None:
    assert effect(diff).why == says


def test_more_work_at_once_is_a_reason_where_something_runs_out() -> None:
    diff = "-  concurrency: 8\n+  concurrency: 64\n"
    assert effect(diff, "FATAL: remaining connection slots are exhausted").why == "raises concurrency from 8 to 64"
    assert effect(diff, "column is missing").score <= 0
