"""No name leads out of a bundle."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bundle.paths import open_inside, safe_parts
from domain.errors import BadBundle

STEPS = st.sampled_from(["..", ".", "", "a", "out", "in", "secret", "/", "\\", "\x00", "~", "a/..", "%2e%2e", "ü"])


@given(st.lists(STEPS | st.text(max_size=5), max_size=6).map("/".join))
def test_a_safe_path_stays_below_its_root(name: str) -> None:
    try:
        parts = safe_parts(name)
    except BadBundle:
        return
    joined = os.path.normpath("/".join(("/root", *parts)))
    assert joined == f"/root/{name}" and joined.startswith("/root/")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.lists(STEPS, min_size=1, max_size=5).map("/".join))
def test_whatever_is_opened_lies_inside(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    if not root.exists():
        (root / "in").mkdir(parents=True)
        (tmp_path / "secret").write_text("outside")
        (root / "a").write_text("inside")
        (root / "in" / "a").write_text("inside")
        (root / "out").symlink_to(tmp_path)
        (root / "in" / "secret").symlink_to(tmp_path / "secret")
    try:
        opened = open_inside(root, name)
    except BadBundle:
        return
    with os.fdopen(opened) as file:
        assert file.read() == "inside"


def test_a_refusal_says_which_path(tmp_path: Path) -> None:
    with pytest.raises(BadBundle, match=r"'\.\./x': leaves the bundle"):
        open_inside(tmp_path, "../x")
    with pytest.raises(BadBundle, match="a/b: cannot be opened: No such file"):
        open_inside(tmp_path, "a/b")
    (tmp_path / "d").mkdir()
    with pytest.raises(BadBundle, match="d: is a folder"):
        open_inside(tmp_path, "d")
