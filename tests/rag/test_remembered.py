"""Vectors that were worked out before."""

from collections.abc import Sequence

import pytest

from rag.embed import Vector
from rag.remembered import Remembered, dump


class Letters:
    """A small embedder that counts letters, and the texts it was asked for."""

    model = "letters"
    dimension = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        self.asked.extend(texts)
        return [self.query(text) for text in texts]

    def query(self, text: str) -> Vector:
        return [float(text.count("a")), float(text.count("b"))]

    def rest(self) -> None:
        """There is nothing to let go of."""


def test_a_text_is_worked_out_once():
    letters = Letters()
    remembered = Remembered(letters)
    assert remembered.passages(["a", "ab", "a"]) == [[1, 0], [1, 1], [1, 0]]
    assert remembered.passages(["ab", "b"]) == [[1, 1], [0, 1]]
    assert letters.asked == ["a", "ab", "b"]
    assert (remembered.model, remembered.dimension, remembered.query("aa")) == ("letters", 2, [2, 0])


def test_a_file_of_vectors_is_read_back(tmp_path):
    (tmp_path / "v.json").write_text(dump(Letters(), ["b", "a"]))
    letters = Letters()
    assert Remembered.from_file(letters, tmp_path / "v.json").passages(["a", "c"]) == [[1, 0], [0, 0]]
    assert letters.asked == ["c"]
    assert dump(Letters(), ["a", "b", "a"]) == dump(Letters(), ["b", "a"])


@pytest.mark.parametrize("model", ["letters", "others"])
def test_vectors_of_another_model_and_a_file_that_is_not_there_count_for_nothing(tmp_path, model):
    file = tmp_path / "v.json"
    if model == "others":
        file.write_text(dump(Letters(), ["a"]).replace('"letters"', '"others"'))
    letters = Letters()
    Remembered.from_file(letters, file).passages(["a"])
    assert letters.asked == ["a"]
