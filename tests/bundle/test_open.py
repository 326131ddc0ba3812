"""What a person at the command line is told about a bundle, good or broken."""

import os
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bundle.bundle import open_bundle
from bundle.limits import Limits
from domain.errors import BadBundle
from tests.bundle.conftest import MANIFEST, Make


def test_a_bundle_with_only_an_alert_opens(make: Make) -> None:
    bundle = open_bundle(make())
    assert (bundle.id, bundle.title, bundle.timezone) == ("small", "orders are slow", "UTC")
    assert bundle.now == datetime(2026, 3, 1, 12, 5, tzinfo=UTC)
    assert bundle.alert == {"status": "firing"}
    assert bundle.files() == () and bundle.text_sources() == () and bundle.gaps == ()


def test_files_are_listed_in_order_and_the_expected_answer_never_is(make: Make) -> None:
    root = make({"logs/b.log": "b\n", "logs/a.log": "a\n", "metrics/m.csv": "x\n", "expected.yaml": "verdict: lie\n"})
    bundle = open_bundle(root)
    assert bundle.files() == ("logs/a.log", "logs/b.log", "metrics/m.csv")
    assert bundle.text_sources() == ("logs/a.log", "logs/b.log")
    assert not bundle.exists("expected.yaml")
    with pytest.raises(BadBundle, match=r"expected\.yaml"):
        bundle.open_bytes("expected.yaml")


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ("id: [1, 2", r"incident\.yaml:1: broken YAML"),
        ("- a list", r"incident\.yaml:1: empty or no mapping"),
        ("", r"incident\.yaml:1: empty"),
        ("\x00\x01\x02", r"incident\.yaml:1: broken YAML"),
        ("id: x\n", r"incident\.yaml: fired_at: missing"),
        ("fired_at: yesterday", r"fired_at: 'yesterday' is no time"),
        ("fired_at: '2026-03-01T12:00:00Z'\ntimezone: Mars/Olympus", r"timezone: 'Mars/Olympus' is no IANA name"),
        ("fired_at: '2026-03-01T12:00:00Z'\nwindow: 5", r"incident\.yaml: window: "),
        ("fired_at: '2026-03-01T12:00:00Z'\nid: [1]", r"incident\.yaml: id: "),
        (
            "fired_at: '2026-03-01T12:00:00Z'\nwindow: {start: '2026-03-02T00:00:00Z', end: '2026-03-01T00:00:00Z'}",
            r"window: start .* is after end",
        ),
    ],
)
def test_a_broken_manifest_is_named_with_its_place(make: Make, manifest: str, said: str) -> None:
    with pytest.raises(BadBundle, match=said) as caught:
        open_bundle(make(manifest=manifest))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("alert", "said"),
    [
        ("", r"alert\.json:1: empty"),
        ('{"a":\n 1,,}', r"alert\.json:2: column 4: broken JSON"),
        ('{"a": NaN}', r"NaN is no JSON"),
        ("[" * 100_000, r"alert\.json: broken JSON"),
        (b"\x00\x01\x02\x03" * 9, r"alert\.json: is binary"),
    ],
)
def test_a_broken_alert_is_named_with_its_place(make: Make, alert: str | bytes, said: str) -> None:
    with pytest.raises(BadBundle, match=said):
        open_bundle(make({"alert.json": alert}))


def test_a_missing_manifest_or_alert_is_one_clear_line(make: Make, tmp_path: Path) -> None:
    with pytest.raises(BadBundle, match=r"^incident\.yaml: missing; a bundle needs"):
        open_bundle(make(manifest=None))
    root = make()
    (root / "alert.json").unlink()
    with pytest.raises(BadBundle, match=r"^alert\.json: missing"):
        open_bundle(root)
    with pytest.raises(BadBundle, match="there is no such bundle"):
        open_bundle(tmp_path / "nowhere")


def test_an_alert_that_is_a_folder_or_a_link_is_told(make: Make) -> None:
    root = make()
    (root / "alert.json").unlink()
    (root / "alert.json").mkdir()
    with pytest.raises(BadBundle, match="is a folder where a file should be"):
        open_bundle(root)
    (root / "alert.json").rmdir()
    (root / "alert.json").symlink_to("/etc/hostname")
    with pytest.raises(BadBundle, match="symbolic link"):
        open_bundle(root)


def test_a_missing_window_comes_from_the_alert_with_a_gap(make: Make) -> None:
    bundle = open_bundle(make(manifest="id: x\nfired_at: '2026-03-01T12:00:00Z'\ntimezone: UTC\n"))
    assert bundle.window.start == datetime(2026, 3, 1, 11, 0, tzinfo=UTC)
    assert bundle.window.end == datetime(2026, 3, 1, 12, 5, tzinfo=UTC)
    assert [gap.what for gap in bundle.gaps] == ["incident.yaml: window"]


def test_a_time_without_a_zone_is_read_in_the_bundles_zone_with_a_gap(make: Make) -> None:
    bundle = open_bundle(make(manifest="id: x\nfired_at: 2026-07-01 12:00:00\ntimezone: Europe/Berlin\n"))
    assert bundle.fired_at == datetime(2026, 7, 1, 10, 0, tzinfo=UTC)
    assert any("has no zone" in gap.why for gap in bundle.gaps)


def test_a_missing_zone_and_an_unknown_schema_and_unknown_keys_are_kept_with_gaps(make: Make) -> None:
    bundle = open_bundle(make(manifest="schema: other@9\nowner: me\nid: 7\nfired_at: 1772366400\n"))
    assert bundle.id == "7" and bundle.fired_at == datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
    assert {gap.what for gap in bundle.gaps} == {
        "incident.yaml: timezone", "incident.yaml: window", "incident.yaml: schema",
    }  # fmt: skip


def test_links_pipes_and_sockets_are_gaps_and_never_opened(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.log"
    secret.write_text("top secret\n")
    root = make({"logs/good.log": "fine\n"})
    (root / "logs/out.log").symlink_to(secret)
    (root / "artifacts").symlink_to(tmp_path)
    os.mkfifo(root / "logs/pipe.log")
    with socket.socket(socket.AF_UNIX) as unix:
        monkeypatch.chdir(root / "logs")  # a socket's whole path may be too long for the system
        unix.bind("s.log")
        bundle = open_bundle(root)
    assert bundle.text_sources() == ("logs/good.log",)
    assert [gap.what for gap in bundle.gaps] == ["artifacts", "logs/out.log", "logs/pipe.log", "logs/s.log"]
    for name in ("logs/out.log", "logs/pipe.log", "artifacts/secret.log", "../secret.log", str(secret)):
        with pytest.raises(BadBundle):
            bundle.open_bytes(name)


def test_a_binary_or_broken_text_and_a_folder_in_a_files_place_are_gaps(make: Make) -> None:
    root = make({
        "logs/core.dump": b"\x7fELF\x00\x00\x01" * 300, "logs/cut.log.gz": b"\x1f\x8b\x08\x00bad",
        "artifacts/odd.txt.zst": b"no zstd at all", "docker/containers.json/x": "1", "logs/empty.log": "",
    })  # fmt: skip
    bundle = open_bundle(root)
    assert bundle.text_sources() == ("logs/empty.log",)
    why = {gap.what: gap.why for gap in bundle.gaps}
    assert why["logs/core.dump"] == "is binary, no text"
    assert "broken archive" in why["logs/cut.log.gz"] and "broken archive" in why["artifacts/odd.txt.zst"]
    assert why["docker/containers.json"] == "is a folder where a file should be"


def test_a_name_that_is_no_text_is_a_gap(make: Make) -> None:
    root = make({"logs/good.log": "x\n"})
    (Path(os.fsdecode(os.fsencode(root) + b"/logs/\xff.log"))).write_text("x")
    (root / "logs/new\nline.log").write_text("x")
    bundle = open_bundle(root)
    assert bundle.text_sources() == ("logs/good.log",)
    assert all("has a name" in gap.why for gap in bundle.gaps) and len(bundle.gaps) == 2


def test_more_files_than_the_limit_are_said(make: Make) -> None:
    root = make({f"logs/{n}.log": "x\n" for n in range(9)}, MANIFEST)
    bundle = open_bundle(root, Limits(max_files=5))
    assert any("more than 5 files" in gap.why for gap in bundle.gaps)
