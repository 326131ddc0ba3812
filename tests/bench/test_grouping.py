from bench.grouping import LABELS, accuracy


def test_only_a_template_with_exactly_the_lines_of_a_group_counts() -> None:
    groups = {1: "a", 2: "a", 3: "b", 4: "c"}
    assert accuracy(groups, {1: 7, 2: 7, 3: 8, 4: 9}) == 1.0
    assert accuracy(groups, {1: 7, 2: 8, 3: 9, 4: 10}) == 0.5  # split
    assert accuracy(groups, {1: 7, 2: 7, 3: 8, 4: 8}) == 0.5  # joined


def test_labels_hold_a_path_line_numbers_and_groups_and_no_text() -> None:
    files = sorted(LABELS.glob("*.csv"))
    assert len(files) >= 6
    for file in files:
        head, columns, *rows = file.read_text("utf-8").splitlines()
        assert head.split(" ")[0::2] == ["#", "sha256"]
        assert columns == "line,group"
        assert len(rows) == 200
        assert all(number.isdigit() for row in rows for number in row.split(","))
