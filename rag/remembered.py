"""Vectors that were worked out before, so that the first start of a fresh database need not work them out again."""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from rag.embed import Embedder, Vector

FILE: Final = "vectors.json"  # beside the runbooks; what it lacks, or has for other texts, is simply worked out
_TYPE: Final = "<f2"  # as exact as the index stores them


class Remembered:
    """An embedder that remembers the passages it has seen, and those of a file."""

    def __init__(self, embedder: Embedder, vectors: Mapping[str, Vector] | None = None) -> None:
        self._embedder = embedder
        self._vectors = dict(vectors or {})

    @classmethod
    def from_file(cls, embedder: Embedder, file: Path) -> "Remembered":
        """With the vectors of a file, when it is there and of this embedder's model."""
        return cls(embedder, _load(file, embedder.model) if file.is_file() else {})

    @property
    def model(self) -> str:
        """That of the embedder."""
        return self._embedder.model

    @property
    def dimension(self) -> int:
        """That of the embedder."""
        return self._embedder.dimension

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each text; only what is not remembered is worked out."""
        new = [text for text in dict.fromkeys(texts) if _key(text) not in self._vectors]
        if new:
            self._vectors |= dict(zip(map(_key, new), self._embedder.passages(new), strict=True))
        return [self._vectors[_key(text)] for text in texts]

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        return self._embedder.query(text)

    def rest(self) -> None:
        """That of the embedder."""
        self._embedder.rest()


def dump(embedder: Embedder, texts: Iterable[str]) -> str:
    """The text of a file of vectors: sorted, one a line."""
    kept = sorted(set(texts), key=_key)
    coded = {_key(text): _coded(vector) for text, vector in zip(kept, embedder.passages(kept), strict=True)}
    return json.dumps({"model": embedder.model, "vectors": coded}, indent=0, sort_keys=True) + "\n"


def _load(file: Path, model: str) -> dict[str, Vector]:
    held = json.loads(file.read_text(encoding="utf-8"))
    if held["model"] != model:
        return {}
    return {key: np.frombuffer(base64.b64decode(coded), dtype=_TYPE).tolist() for key, coded in held["vectors"].items()}


def _coded(vector: Vector) -> str:
    return base64.b64encode(np.asarray(vector, dtype=_TYPE).tobytes()).decode("ascii")


def _key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
