"""The prompt contract: all that shapes what a model is told and how it may answer, by hash and by version.

`contracts.lock` says which version has which hash; `contracts.json` keeps the texts of all versions, each once, so that
an old one can be played again. A test fails when the texts changed without a new version: `python -m agents.contract`
adds one. A recording carries its contract whole.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from agents import ask, breaker, history, react
from agents.answer import SCHEMA, WEIGHT
from domain.codec import digest, dumps

LOCK: Final = "contracts.lock"
TEXTS: Final = "contracts.json"
AGENTS: Final = "agents"  # folder of a contract's texts that holds the agents' files
LEAST_HASH: Final = 8  # characters of a hash that name a contract


@dataclass(frozen=True)
class Contract:
    """All texts by path, and the hash over them."""

    texts: dict[str, str]
    sha256: str


@cache
def contract() -> Contract:
    """The contract of this code: prompts, schema of the answer, profiles of providers, and the loop's own settings."""
    texts = {"schema/answer.json": dumps(SCHEMA), "settings/loop.json": dumps(_settings())}
    told = (each for each in files("agents").iterdir() if each.name.endswith(".md"))
    texts |= {f"{AGENTS}/{each.name}": each.read_text("utf-8") for each in told}
    texts["gateway/profiles.toml"] = files("agents.gateway").joinpath("profiles.toml").read_text("utf-8")
    return contract_of(texts)


def contract_of(texts: Mapping[str, str]) -> Contract:
    """The contract that these texts make."""
    ordered = dict(sorted(texts.items()))
    return Contract(ordered, digest(ordered))


def _settings() -> dict[str, object]:
    """What of the code decides about what is sent, and what an answer counts."""
    return {
        "answer_now": react.ANSWER_NOW, "weight": WEIGHT, "kept_turns": history.KEPT_TURNS, "small": history.SMALL,
        "verbatim": history.VERBATIM, "note_chars": history.NOTE_CHARS, "cuts": history.CUTS,
        "answer_tokens": ask.ANSWER, "tools_tokens": ask.TOOLS_TOKENS, "tools_share": ask.TOOLS_SHARE,
        "result_share": ask.RESULT_SHARE, "same": breaker.SAME, "repairs": breaker.REPAIRS, "errors": breaker.ERRORS,
    }  # fmt: skip


def versions() -> dict[str, str]:
    """The hash of each version that there ever was, in order."""
    lines = files("agents").joinpath(LOCK).read_text("utf-8").splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def known(asked: str) -> Contract | None:
    """The contract of a version, or with a hash that begins so; None where this code never had it."""
    now = contract()
    wanted = versions().get(asked, asked if len(asked) >= LEAST_HASH else "")
    if wanted and now.sha256.startswith(wanted):
        return now
    kept = _kept()
    sha256 = next((each for each in kept["contracts"] if wanted and each.startswith(wanted)), None)
    if sha256 is None:
        return None
    return Contract({name: kept["texts"][text] for name, text in sorted(kept["contracts"][sha256].items())}, sha256)


def _kept() -> Any:
    """`texts` by their hash, and `contracts`: by hash the hashes of their texts by path."""
    return json.loads(files("agents").joinpath(TEXTS).read_text("utf-8"))


def add(folder: Path) -> str:
    """Write this code's contract into the lock, as a version of its own unless it has one. Its version."""
    now, before = contract(), versions()
    for version, sha256 in before.items():
        if sha256 == now.sha256:
            return version
    version = str(len(before) + 1)
    kept = json.loads((folder / TEXTS).read_text("utf-8"))
    kept["texts"] |= {digest(text): text for text in now.texts.values()}
    kept["contracts"][now.sha256] = {name: digest(text) for name, text in now.texts.items()}
    (folder / TEXTS).write_text(f"{json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True)}\n", "utf-8")
    with (folder / LOCK).open("a", encoding="utf-8") as lock:
        lock.write(f"{version} {now.sha256}\n")
    return version


if __name__ == "__main__":
    print(f"version {add(Path(__file__).parent)}")  # noqa: T201
