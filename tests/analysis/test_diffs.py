"""What a diff is likely to do."""

import pytest

from analysis.diffs import effect, names

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
        (GUARD, "takes away nil"),
        (LOCK, "takes away lock"),
        (FIELD, "takes away total"),
        (CALL, "takes away seeddefaults"),
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
