"""Sizes, durations and numbers as programs print them."""

# ruff: noqa: E501 (a table of samples)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.captures.units import cpus, duration, kube_size, number, percent, size, truth


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [
        ("64M", 64 << 20), ("4.6M", 4823450), ("1.24GiB", 1331439862), ("16276604Ki", 16276604 << 10), ("12kB", 12_000), ("0", 0),
        ("512m", 512 << 20), ("1,024", 1024), ("38.1 MiB", 39950746), ("100MB", 100_000_000), ("7B", 7), ("none", None), ("", None), ("1.2.3", None),
    ],
)  # fmt: skip
def test_sizes_become_bytes(text: str, bytes_: int | None) -> None:
    assert size(text) == bytes_


def test_a_bare_letter_is_decimal_for_kubernetes_only() -> None:
    assert kube_size("128M") == 128_000_000 and kube_size("128Mi") == 128 << 20 and size("128M") == 128 << 20


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("6m35s", 395), ("2d20h", 244800), ("9-04:11:20", 792680), ("03:19:58", 11998), ("About an hour", 3600), ("3 weeks", 1814400),
        ("up 12 days", 1036800), ("200ms", 0.2), ("5.2s", 5.2), ("2 minutes ago", 120), ("91d", 7862400), ("soon", None), ("", None), ("5 apples", None),
    ],
)  # fmt: skip
def test_durations_become_seconds(text: str, seconds: float | None) -> None:
    assert duration(text) == pytest.approx(seconds) if seconds is not None else duration(text) is None


def test_numbers_shares_cpus_and_truths() -> None:
    assert (number("1,234"), number("-2.5"), number("x")) == (1234, -2.5, None)
    assert (percent("93%"), percent("0.5 %"), percent("-")) == (93.0, 0.5, None)
    assert (cpus("500m"), cpus("2"), cpus("")) == (0.5, 2.0, None)
    assert (truth("True"), truth("off"), truth("maybe")) == (True, False, None)


@given(st.text(max_size=20))
def test_no_text_makes_a_unit_fail(text: str) -> None:
    for read in (size, kube_size, duration, number, percent, cpus, truth):
        read(text)
