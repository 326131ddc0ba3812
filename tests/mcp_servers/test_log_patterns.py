"""Many patterns at once over a chunk."""

import pytest

from analysis.patterns import BadPattern
from bundle.chunks import Chunk
from mcp_servers.log_patterns import sieve


def found(texts: tuple[str, ...], data: bytes) -> set[int]:
    """Which of the patterns match anywhere in the data."""
    sifted = sieve(texts)
    return {
        places[at]
        for places, part in sifted.parts(data)
        for _, _, line in part.lines(Chunk(1, data))
        for at in part.matching(line)
    }


def test_of_thousands_of_patterns_each_is_found() -> None:
    """More literal parts than one filter of RE2 holds."""
    words = tuple(f"the worker of queue-{at:05d}-{'x' * (at % 90)} has (?:stopped|failed)" for at in range(6000))
    data = b"\n".join(f"the worker of queue-{at:05d}-{'x' * (at % 90)} has failed".encode() for at in (0, 2999, 5999))
    assert len(sieve(words)._filters) > 1
    assert found(words, data) == {0, 2999, 5999}
    assert found(words, b"the worker of queue-00000- has begun") == set()


def test_no_patterns_find_nothing_and_a_broken_one_is_told() -> None:
    assert found((), b"anything") == set()
    with pytest.raises(BadPattern):
        sieve(("fine", "(broken"))
