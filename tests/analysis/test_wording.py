"""Sentences and commands of runbooks, filled in."""

import shlex

import pytest

from analysis.wording import fields, fill


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{entity} was killed", "container:web was killed"),
        ("{name} needs {upstream}", "web needs db:5432"),
        ("{name} has {memory_limit}", "web has the memory limit"),
        ("{name} is full[[ at {mount}]]", "web is full"),
        ("{name} waits[[ for {upstream}]]", "web waits for db:5432"),
        ("docker inspect -f '{{.State}}' {name}", "docker inspect -f '{{.State}}' web"),
        ("[[ -f x ]] && {name}", "[[ -f x ]] && web"),
        ("{empty}", "the empty"),
    ],
)
def test_a_sentence_can_always_be_read(template, filled):
    assert fill(template, "container:web", {"upstream": "db:5432", "empty": ""}) == filled


def test_values_in_a_command_are_quoted_and_unknown_ones_stand_out():
    command = fill("kill {pid} {name} {signal}", "process:a b;reboot", {"pid": "1"}, quoted=shlex.quote)
    assert command == "kill 1 'a b;reboot' SIGNAL"


def test_a_value_with_braces_is_not_filled_in_again():
    assert fill("{a} {name}", "container:web", {"a": "{name}"}) == "{name} web"


def test_the_names_in_braces_are_known():
    assert fields("{a} [[{b_1}]] {{.C}} {print $1}") == {"a", "b_1"}


@pytest.mark.parametrize(
    ("count", "told"), [("1", "refused once"), ("2", "refused 2 times"), ("11", "refused 11 times")]
)
def test_what_happened_once_is_not_1_times(count: str, told: str) -> None:
    assert fill("refused {count} times", "service:a", {"count": count}) == told
