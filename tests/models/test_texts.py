"""What is read out of a model's text, by one rule each for the gateway and the loop."""

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agents.gateway.texts import joined, json_object, parsed, thoughts, with_words
from agents.messages import said


@pytest.mark.parametrize(
    ("text", "rest", "thought"),
    [
        ("<think>Disk?</think>\n\nMemory.", "Memory.", "Disk?"),
        ("  <thinking>Disk?</thinking>Memory.", "Memory.", "Disk?"),
        ("Disk?</think>Memory.", "Memory.", "Disk?"),
        ("<think>on and on", "", "on and on"),
        ("The log says <think> and ends.", "The log says <think> and ends.", ""),
        ('{"quote": "<think>x</think>"}', '{"quote": "<think>x</think>"}', ""),
    ],
)
def test_a_thought_is_what_comes_before_the_answer_for_gateway_and_loop_alike(
    text: str, rest: str, thought: str
) -> None:
    assert thoughts(text) == (rest, thought)
    assert said(AIMessage(text)) == rest


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": 1}}',
        'Here:\n```json\n{"a": {"b": 1}}\n```\nDone.',
        'Here: ```{"a": {"b": 1}}```',
        'It is {"a": {"b": 1}}, I think.',
        'First ```sh\nls {x}\n``` then\n```json\n{"a": {"b": 1}}\n```',
    ],
)
def test_an_object_is_found_wherever_it_stands(text: str) -> None:
    assert parsed(text) == json_object(text) == {"a": {"b": 1}}


@pytest.mark.parametrize(
    ("text", "why"), [("Memory.", "Expecting value"), ("", "Expecting"), ('{"a": 1,', "Expecting")]
)
def test_where_there_is_none_it_is_said_why(text: str, why: str) -> None:
    assert json_object(text) is None
    with pytest.raises(ValueError, match=why):
        parsed(text)


def test_only_two_messages_of_a_person_become_one_and_what_was_given_stays() -> None:
    given: list[BaseMessage] = [
        HumanMessage("a"),
        HumanMessage("b"),
        AIMessage("c"),
        ToolMessage("d", tool_call_id="1"),
    ]
    assert [(m.type, m.text) for m in joined(given)] == [("human", "a\n\nb"), ("ai", "c"), ("tool", "d")]
    assert [m.text for m in with_words(given, "e")] == ["a\n\nb", "c", "d", "e"]
    assert [m.text for m in given] == ["a", "b", "c", "d"]
