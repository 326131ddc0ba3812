"""A small bundle on disk, made of the files that a test names."""

from collections.abc import Callable
from pathlib import Path

import pytest

MANIFEST = """\
schema: fishbone/bundle@1
id: small
title: orders are slow
fired_at: '2026-03-01T12:00:00Z'
window: {start: '2026-03-01T11:00:00Z', end: '2026-03-01T12:05:00Z'}
timezone: UTC
"""
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a bundle with these files beside incident.yaml and alert.json, and answers its folder."""

    def made(files: dict[str, bytes | str] | None = None, manifest: str | None = MANIFEST) -> Path:
        root = tmp_path / "small"
        content: dict[str, bytes | str] = {"alert.json": '{"status": "firing"}', **(files or {})}
        if manifest is not None:
            content["incident.yaml"] = manifest
        for name, data in content.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data.encode() if isinstance(data, str) else data)
        return root

    return made
