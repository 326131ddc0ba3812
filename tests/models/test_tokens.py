"""The estimate of tokens: against what real tokenizers were seen to make of such texts, and its own rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from agents.gateway.tokens import prompt_tokens, tokens_of
from agents.gateway.usage import corrected, is_implausible, largest, usage_of


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 20, 180, 260),
        ("内存不足，进程被系统终止。" * 100, 800, 1400),  # 13 characters each: 8 to 14 tokens
        ("2026-11-30T19:02:11.123Z ERROR c.a.Orders - timeout after 30000 ms\n" * 20, 650, 1100),
        ('{"level":"error","msg":"connection refused","port":5432}' * 20, 300, 560),
        ("Сервер недоступен " * 50, 250, 900),
        ("", 0, 0),
    ],
)
def test_estimates_are_of_the_right_size(text: str, least: int, most: int) -> None:
    assert least <= tokens_of(text) <= most


def test_chinese_is_not_counted_as_a_quarter_token_a_character() -> None:
    assert tokens_of("错误" * 2000) > 3 * 1004  # what LangChain's own counter says of 4,000 characters


@given(st.text(), st.text())
def test_more_text_never_takes_fewer_tokens(first: str, second: str) -> None:
    assert tokens_of(first + second) >= tokens_of(first) - 1


def test_earlier_calls_are_counted_also_broken_ones() -> None:
    bare = prompt_tokens([AIMessage("")])
    call = {"name": "logs_search", "args": {"grep": "out of memory"}, "id": "1"}
    broken = {"type": "invalid_tool_call", "name": "logs_search", "args": "{" * 50, "id": "2", "error": ""}
    assert prompt_tokens([AIMessage("", tool_calls=[call])]) > bare + 8
    assert prompt_tokens([AIMessage("", invalid_tool_calls=[broken])]) > bare + 8


@pytest.mark.parametrize(
    ("before", "estimated", "counted", "after"),
    [(1.0, 1000, 2000, 1.3), (1.0, 1000, 100, 1.0), (1.0, 1000, 5000, 1.6), (1.0, 10, 20, 1.0), (2.0, 2000, 1000, 1.7)],
)
def test_the_correction_moves_slowly_and_only_where_it_can_be_true(
    before: float, estimated: int, counted: int, after: float
) -> None:
    assert corrected(before, estimated, counted) == pytest.approx(after)


@pytest.mark.parametrize(
    ("estimated", "counted", "so"),
    [(10_000, 3_000, True), (10_000, 5_000, False), (1_000, 10, False), (9_000, 0, False)],
)
def test_what_no_tokenizer_can_make_of_a_prompt_is_implausible(estimated: int, counted: int, so: bool) -> None:
    assert is_implausible(estimated, counted) is so


def test_usage_is_read_with_care() -> None:
    assert usage_of({"prompt_tokens": -3, "completion_tokens": True}) is None
    assert usage_of({"prompt_tokens": 5.0, "prompt_tokens_details": {"cached_tokens": 2}, "x": 1}) == {
        "prompt_tokens": 5, "completion_tokens": 0, "total_tokens": 5, "prompt_tokens_details": {"cached_tokens": 2},
    }  # fmt: skip
    assert largest([{"prompt_tokens": 9, "completion_tokens": 1}, {"prompt_tokens": 9, "completion_tokens": 4}]) == {
        "prompt_tokens": 9, "completion_tokens": 4,
    }  # fmt: skip
