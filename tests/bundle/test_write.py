"""A folder is written whole or not at all, and nobody's files are lost."""

from pathlib import Path

import pytest

from bundle.bundle import open_bundle
from bundle.write import must_be_free, write_incident, written_folder
from domain.errors import BadBundle
from tests.bundle.conftest import Make


def test_a_written_folder_appears_whole(make: Make, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with written_folder(out) as folder:
        write_incident(open_bundle(make()), folder)
        assert not out.exists()
    assert open_bundle(out).id == "small"
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), written_folder(tmp_path / "out") as folder:
        (folder / "half").write_text("x")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_empty_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    must_be_free(tmp_path / "out")
    (tmp_path / "out" / "mine").write_text("x")
    with pytest.raises(BadBundle, match=r"is not empty.*--force"), written_folder(tmp_path / "out"):
        pass
    assert (tmp_path / "out" / "mine").read_text() == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_file_or_link_in_the_place_is_refused_even_by_force(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("file", "link"):
        with pytest.raises(BadBundle, match="is no folder"), written_folder(tmp_path / name, force=True):
            pass


def test_force_replaces_what_has_the_same_name_and_keeps_the_rest(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "results").mkdir(parents=True)
    (out / "results" / "old").write_text("old")
    (out / "thesis.txt").write_text("years of work")
    with written_folder(out, force=True) as folder:
        (folder / "results").mkdir()
        (folder / "results" / "new").write_text("new")
    assert [path.name for path in (out / "results").iterdir()] == ["new"]
    assert (out / "thesis.txt").read_text() == "years of work"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
