import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from analysis.lines.templates import mine
from bench import grouping
from bench.grouping import BAR, LABELS, SHIPPED, Labelled, accuracy, labelled, main, templates

INCIDENTS = {
    "incidents_cart-saves-fail_var_log_cart-api.csv", "incidents_checkout-errors_var_log_checkout-api.csv",
    "incidents_checkout-errors_var_log_resolver.csv", "incidents_invoice-batches-fail_container_invoice-worker.csv",
    "incidents_orders-api-slow_var_log_orders-db.csv", "incidents_seats-503_var_log_seat-api.csv",
    "incidents_stock-updates-lost_var_log_orders-db.csv", "incidents_thumbnails-502_var_log_nginx-access.csv",
}  # fmt: skip
CASES = {
    "holmes_h36_kubectl_logs.csv", "nezha-tt_nt06_ts-travel-service.csv", "nezha-tt_nt08_ts-basic-service.csv",
    "nezha-tt_nt08_ts-order-service.csv", "nezha-tt_nt09_ts-food-service.csv", "nezha-tt_nt15_ts-preserve-service.csv",
}  # fmt: skip
USERS = tuple(
    f"the session of {name} was closed by its owner" for name in ("anna", "bert", "carl", "dora", "emil", "fred")
)


def source(name: str) -> Labelled:
    found = labelled(LABELS / name, Path("/nowhere"))
    assert found is not None
    return found


def test_only_a_template_with_exactly_the_lines_of_a_group_counts() -> None:
    groups = {1: "a", 2: "a", 3: "b", 4: "c"}
    assert accuracy(groups, {1: 7, 2: 7, 3: 8, 4: 9}) == 1.0
    assert accuracy(groups, {1: 7, 2: 8, 3: 9, 4: 10}) == 0.5  # split
    assert accuracy(groups, {1: 7, 2: 7, 3: 8, 4: 8}) == 0.5  # joined


def test_a_line_has_the_template_that_it_belongs_to_when_all_lines_are_known() -> None:
    assert len(set(templates(USERS[:4]).values())) == 4
    assert len(set(templates(USERS).values())) == 1


@pytest.mark.parametrize("name", sorted(INCIDENTS))
def test_the_lines_of_a_shipped_source_have_the_templates_that_its_miner_tells_of(name: str) -> None:
    lines = (*source(name).lines, *USERS)
    said = templates(lines)
    assert sorted(Counter(said.values()).values()) == sorted(template.count for template in mine(lines))


def test_the_shipped_sources_are_grouped_above_the_bar() -> None:
    found = [source(name) for name in INCIDENTS]
    assert sum(accuracy(one.groups, templates(one.lines)) for one in found) / len(found) >= BAR


def test_labels_hold_a_path_line_numbers_and_groups_and_no_text() -> None:
    assert {file.name for file in LABELS.iterdir()} == INCIDENTS | CASES
    for file in LABELS.iterdir():
        head, columns, *rows = file.read_text("utf-8").splitlines()
        assert head.split(" ")[0::2] == ["#", "sha256"]
        assert head.split(" ")[1].startswith("incidents/") == file.name.startswith(SHIPPED)
        assert columns == "line,group"
        assert len(rows) == 200
        assert all(number.isdigit() for row in rows for number in row.split(","))


def run(monkeypatch: pytest.MonkeyPatch, labels: Path) -> int | str | None:
    """The measurement without its speed, which says nothing while other tests run."""
    monkeypatch.setattr(grouping, "LABELS", labels)
    monkeypatch.setattr(grouping, "lines_a_second", lambda _: 1e9)
    monkeypatch.setattr(sys, "argv", ["grouping", "--cases", str(labels / "nowhere")])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_without_the_cases_the_incidents_are_measured_and_a_note_tells_what_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not run(monkeypatch, LABELS)
    told = capsys.readouterr()
    assert "mean of 8 sources" in told.out
    assert told.err.count("left out, it is not here") == len(CASES)


def test_a_shipped_source_that_is_not_the_labelled_one_fails_and_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    labels = tmp_path / "labels"
    shutil.copytree(LABELS, labels)
    changed = labels / min(INCIDENTS)
    head, rows = changed.read_text("utf-8").split("\n", 1)
    changed.write_text(f"{head[:-4]}0000\n{rows}", "utf-8")
    assert changed.name in str(run(monkeypatch, labels))
