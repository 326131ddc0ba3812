"""The prompt contract: what a model is told, by hash. A recording carries it whole."""

from dataclasses import dataclass
from importlib.resources import files

from domain.codec import digest


@dataclass(frozen=True)
class Contract:
    """All prompt texts by path, and the hash over them."""

    texts: dict[str, str]
    sha256: str


def contract() -> Contract:
    """The contract of this code: agents/*.md and graph/prompts/*.md."""
    texts: dict[str, str] = {}
    for folder in (files("agents"), files("graph").joinpath("prompts")):
        if folder.is_dir():
            texts |= {
                f"{folder.name}/{f.name}": f.read_text("utf-8") for f in folder.iterdir() if f.name.endswith(".md")
            }
    ordered = dict(sorted(texts.items()))
    return Contract(ordered, digest(ordered))
