"""Prompts of another time: the contract that a recording carries, in the place of this code's own."""

from dataclasses import replace
from pathlib import Path, PurePosixPath

from agents.analyst import OfflineAnalyst
from agents.contract import AGENTS, Contract, contract_of, known, versions
from agents.files import agents_of
from agents.tactics import tactic_of
from app.bootstrap import House
from bundle.bundle import open_bundle
from bundle.recording import CONTRACT
from domain.codec import Json, digest
from domain.errors import BadConfiguration


def under_contract(house: House, asked: str) -> House:
    """The house with the prompts of a recording, or of a version that this code knows. Raises BadConfiguration.

    Schema, profiles and loop are this code's: the house's contract is what it runs under then, not what was asked.
    """
    given = _of_recording(Path(asked)) if Path(asked).exists() else _of_version(asked)
    prompts = {name: text for name, text in given.texts.items() if _is_prompt(name)}
    agents = agents_of({PurePosixPath(name).name: text for name, text in prompts.items()})
    rest = {name: text for name, text in house.contract.texts.items() if not _is_prompt(name)}
    analysts = {name: OfflineAnalyst(tactic=tactic_of(name), knowledge=house.knowledge) for name in agents}
    return replace(house, agents=agents, analysts=analysts, contract=contract_of(rest | prompts))


def _is_prompt(name: str) -> bool:
    return name.startswith(f"{AGENTS}/")


def _of_version(asked: str) -> Contract:
    """A contract that this code knows, by its version or the beginning of its hash."""
    found = known(asked)
    if found is None:
        raise BadConfiguration(
            f"--contract {asked}: no such version; name one of {', '.join(versions())}, or a recording made with it"
        )
    return found


def _of_recording(path: Path) -> Contract:
    with open_bundle(path) as bundle:
        kept: Json = bundle.read_json(CONTRACT) if bundle.exists(CONTRACT) else None
    texts = kept.get("texts") if isinstance(kept, dict) else None
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise BadConfiguration(f"--contract {path}: its {CONTRACT} holds no prompts; name a recording of a replay")
    if digest(texts) != kept.get("sha256"):
        raise BadConfiguration(f"--contract {path}: its {CONTRACT} is not what was recorded (its hash differs)")
    return Contract(dict(sorted(texts.items())), kept["sha256"])
