"""The prompt contract: every version has a hash and its texts, and none changes without a new version."""

from pathlib import Path

import pytest

from agents import contract as module
from agents.contract import Contract, add, contract, known, versions
from domain.codec import digest

ROOT = Path(__file__).parents[2]


def test_what_a_model_is_told_has_a_version() -> None:
    assert contract().sha256 in versions().values(), (
        "a prompt, the answer's schema or a model setting changed: `python -m agents.contract` adds a version"
    )


def test_the_contract_holds_prompts_schema_and_settings() -> None:
    names = set(contract().texts)
    assert {f"agents/{name}.md" for name in ("log", "metric", "infra", "runbook", "rules")} <= names
    assert {"schema/answer.json", "settings/loop.json", "gateway/profiles.toml"} <= names


@pytest.mark.parametrize("version", versions())
def test_every_version_can_be_loaded_and_its_texts_have_its_hash(version: str) -> None:
    found = known(version)
    assert found is not None
    assert digest(found.texts) == found.sha256 == versions()[version]
    assert known(found.sha256[:12]) == found


@pytest.mark.parametrize("asked", ["0", "abc", "", "f" * 64])
def test_a_contract_that_never_was_is_unknown(asked: str) -> None:
    assert known(asked) is None


def test_a_changed_text_becomes_the_next_version_and_the_old_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (module.LOCK, module.TEXTS):
        (tmp_path / name).write_bytes((ROOT / "agents" / name).read_bytes())
    before = (tmp_path / module.LOCK).read_text("utf-8")
    texts = contract().texts | {"agents/log.md": "changed"}
    changed = Contract(texts, digest(texts))
    monkeypatch.setattr(module, "contract", lambda: changed)
    assert add(tmp_path) == str(len(versions()) + 1)
    after = (tmp_path / module.LOCK).read_text("utf-8")
    assert after == f"{before}{len(versions()) + 1} {changed.sha256}\n"
    assert "changed" in (tmp_path / module.TEXTS).read_text("utf-8")


def test_a_version_that_is_there_is_not_added_again(tmp_path: Path) -> None:
    assert add(tmp_path) in versions()
    assert not list(tmp_path.iterdir())
