import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.budget import cut
from analysis.secrets.placeholders import PLACEHOLDER


def test_a_text_that_fits_stays_as_it_is() -> None:
    result = cut("short", 200, "log.1")
    assert (result.text, result.original, result.was_cut) == ("short", 5, False)


def test_head_and_tail_stay_and_the_notice_says_how_to_read_the_middle() -> None:
    text = "\n".join(f"line {n}" for n in range(10_000))
    result = cut(text, 12_000, "log.7")
    lines = result.text.split("\n")
    notice = next(line for line in lines if line.startswith("[... cut"))
    assert str(len(text)) in notice
    assert 'read_result("log.7")' in notice
    head, tail = result.text.split(notice)
    assert 0.55 < len(head) / 12_000 < 0.62
    assert 0.36 < len(tail) / 12_000 < 0.41
    assert set(lines) - {notice} <= set(text.split("\n"))
    assert lines[0] == "line 0"
    assert lines[-1] == "line 9999"


def test_one_very_long_line_is_cut_inside() -> None:
    result = cut("a" * 1_000_000, 500, "log.1")
    assert 450 < len(result.text) <= 500
    assert result.original == 1_000_000


def test_a_budget_too_small_for_a_notice_is_refused() -> None:
    with pytest.raises(ValueError, match="200"):
        cut("x" * 300, 199, "log.1")


PIECES = st.sampled_from(["word ", "\n", "x" * 90, "[redacted:password:ab12]", "é漢", "[redacted:"])


@given(
    st.lists(PIECES, max_size=200).map("".join),
    st.integers(200, 1500),
    st.sampled_from(["log.1", "infra.12", "c" * 300]),
)
@settings(max_examples=150)
def test_a_result_is_never_longer_than_its_budget_and_no_placeholder_is_cut(text: str, limit: int, call: str) -> None:
    result = cut(text, limit, call)
    assert len(result.text) <= limit
    assert result.was_cut == (len(text) > limit)
    if result.was_cut:
        notice = next(n for n, line in enumerate(result.text.split("\n")) if line.startswith("[... cut"))
        lines = result.text.split("\n")
        head, tail = "\n".join(lines[:notice]), "\n".join(lines[notice + 1 :])
        assert text.startswith(head)
        assert text.endswith(tail)
        for part in (head, tail):
            assert "redacted:password" not in PLACEHOLDER.sub("", part)
            assert not PLACEHOLDER.sub("", part).startswith(("edacted:password", ":ab12", "ab12]"))
