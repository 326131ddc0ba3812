"""Settings: where they come from, and what a wrong one says."""

from pathlib import Path

import pytest

from app.settings import Settings, load_settings
from domain.errors import BadConfiguration


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder without any setting."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"FISHBONE_{name.upper()}", raising=False)
    return tmp_path


def test_the_environment_wins_over_the_file(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / "fishbone.toml").write_text('lang = "zh"\nresult_chars = 2000\n')
    monkeypatch.setenv("FISHBONE_RESULT_CHARS", "3000")
    found = load_settings()
    assert (found.lang, found.result_chars) == ("zh", 3000)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("result_chars = 3\n", "FISHBONE_RESULT_CHARS (or result_chars in fishbone.toml): "),
        ("colour = 1\n", "FISHBONE_COLOUR (or colour in fishbone.toml): "),
        ("lang = [\n", "fishbone.toml: "),
    ],
)
def test_a_wrong_file_is_one_line_that_names_the_setting(file: str, said: str, elsewhere: Path) -> None:
    (elsewhere / "fishbone.toml").write_text(file)
    with pytest.raises(BadConfiguration) as told:
        load_settings()
    assert str(told.value).startswith(said) and "\n" not in str(told.value)


def test_the_data_folder_is_the_users_unless_it_is_named(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(elsewhere))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert load_settings().data_folder == elsewhere / ".local/share/fishbone"
    monkeypatch.setenv("XDG_DATA_HOME", str(elsewhere / "xdg"))
    assert load_settings().data_folder == elsewhere / "xdg/fishbone"
    monkeypatch.setenv("FISHBONE_DATA", "here")
    assert load_settings().data_folder == elsewhere / "here"


def test_runbook_folders_are_separated_by_colons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FISHBONE_RUNBOOKS", "a::b")
    assert load_settings().runbook_folders == (Path("a"), Path("b"))
