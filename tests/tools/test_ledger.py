"""A ledger that is restored goes on where an earlier worker stopped."""

from domain.tool import Caller, ToolResult
from tools.ledger import Entry, Ledger


def _entry(call_id: str, text: str = "text") -> Entry:
    return Entry(Caller(call_id.partition(".")[0]), ToolResult(call_id, "logs_list", {}, "ok", text=text), 0.0)


def test_numbering_goes_on_after_the_last_restored_call() -> None:
    ledger = Ledger()
    ledger.restore([_entry("log.1"), _entry("log.10"), _entry("metric.2")])
    assert (ledger.next_id("log"), ledger.next_id("metric"), ledger.next_id("infra")) == (
        "log.11",
        "metric.3",
        "infra.1",
    )
    assert [entry.result.call_id for entry in ledger.entries()] == ["log.1", "log.10", "metric.2"]


def test_calls_of_a_step_that_is_done_again_are_forgotten() -> None:
    ledger = Ledger()
    ledger.restore([_entry("log.1"), _entry("log.2"), _entry("log.3"), _entry("metric.1")])
    ledger.rewind("log", 1)
    assert [entry.result.call_id for entry in ledger.entries()] == ["log.1", "metric.1"]
    assert ledger.next_id("log") == "log.2"


def test_what_an_agent_was_shown_before_counts_against_its_budget() -> None:
    ledger = Ledger()
    ledger.restore([_entry("log.1", "12345"), _entry("log.2", "123"), _entry("metric.1", "1")])
    assert ledger.spent("log") == 8


def test_a_second_pass_goes_on_numbering_but_has_a_budget_of_its_own() -> None:
    ledger = Ledger()
    ledger.restore([_entry("log.1", "12345"), _entry("root_cause.1", "1")])
    ledger.begin_pass()
    assert (ledger.spent("log"), ledger.next_id("log")) == (0, "log.2")
    ledger.restore([_entry("log.2", "123"), _entry("root_cause.2", "1")])
    assert ledger.spent("log") == 3
    assert (ledger.of_this_pass("log.1"), ledger.of_this_pass("log.2")) == (False, True)


def test_a_node_that_is_done_again_in_a_second_pass_leaves_the_first_passs_calls() -> None:
    ledger = Ledger()
    ledger.restore([_entry("root_cause.1")])
    ledger.begin_pass()
    ledger.restore([_entry("root_cause.2")])
    ledger.rewind("root_cause", 0)
    assert [entry.result.call_id for entry in ledger.entries()] == ["root_cause.1"]
    assert ledger.next_id("root_cause") == "root_cause.2"
