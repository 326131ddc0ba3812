"""What a clean-up of temporary files took away."""

from analysis.joins.cleaned_files import NAME, joined
from domain.evidence import Finding
from domain.facts import Attribute, Fact
from tests.analysis.joining import case, fact, finding


def told(*facts: Fact, found: tuple[Finding, ...] = ()) -> list[Attribute]:
    return [each.fact.attributes["name"] for each in joined(case(facts, found))]


def test_what_is_gone_under_tmp_was_cleaned_if_the_cleaner_ran() -> None:
    gone = fact("reading", "host:localhost", command="ls -la /tmp/mysql", text="total 0")
    ran = fact("reading", "host:localhost", command="journalctl -u systemd-tmpfiles-clean", text="Finished")
    said = finding("container:php", "log.error", "(HY000/2002): No such file or directory")
    assert told(gone, ran, found=(said,)) == [NAME]
    assert told(gone, found=(said,)) == []
    assert told(ran, found=(said,)) == []
    elsewhere = fact("reading", "host:localhost", command="ls -la /run/mysql", text="total 0")
    assert told(elsewhere, ran, found=(said,)) == []
    of_another = fact("reading", "host:w2", command="ls -la /tmp/mysql", text="total 0")
    assert told(of_another, ran, found=(said,)) == []
