"""A container with a new name."""

from analysis.joins.renamed_containers import NAME, joined
from domain.evidence import Finding
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact, finding


def told(*facts: Fact, found: tuple[Finding, ...] = ()) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts, found))]


def test_an_old_name_is_told_where_its_new_one_runs() -> None:
    said = finding("container:backup", "log.error", "Error response from daemon: No such container: shop_db_1")
    assert told(fact("container", "container:shop-db-1", state="running"), found=(said,)) == [NAME]
    assert told(fact("container", "container:other-db-1", state="running"), found=(said,)) == []
