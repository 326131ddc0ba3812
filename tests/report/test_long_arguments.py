"""A citation repeats what was asked, but no list of hundreds."""

from domain.evidence import Citation
from domain.tool import ToolResult
from report.citations import plain_citation


def test_a_citation_counts_the_items_of_a_long_list_and_keeps_short_arguments() -> None:
    call = ToolResult("log.1", "logs_match", {"signatures": [{"id": str(n)} for n in range(600)], "since": "x"}, "ok")
    told = plain_citation(1, Citation("log.1", "logs/a.log", 1, "a line that says so"), call)
    assert told["arguments"] == {"signatures": "600 items", "since": "x"}
