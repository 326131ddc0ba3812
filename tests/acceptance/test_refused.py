"""Input that cannot be replayed: one clear line, exit 2, and nothing is written."""

import errno
import os
from pathlib import Path

import pytest

from app.cli import main
from tests.acceptance.conftest import MANIFEST, SHIPPED, Cli, Inside, Make

UNTIMED = MANIFEST.replace("fired_at: '2026-03-01T12:00:00Z'\n", "")
REFUSED: dict[str, tuple[dict[str, bytes | str | None], str]] = {
    "no manifest": ({"incident.yaml": None}, "incident.yaml: missing"),
    "a broken manifest": ({"incident.yaml": "title: [a\nid: x"}, "incident.yaml:2: broken YAML"),
    "an empty manifest": ({"incident.yaml": ""}, "incident.yaml:1: empty"),
    "a binary manifest": ({"incident.yaml": bytes(range(256))}, "incident.yaml:1: broken YAML"),
    "no moment": ({"incident.yaml": UNTIMED}, "incident.yaml: fired_at: missing"),
    "no alert": ({"alert.json": None}, "alert.json: missing"),
    "a broken alert": ({"alert.json": '{"status":'}, "alert.json:1: column 11: broken JSON"),
    "an empty alert": ({"alert.json": ""}, "alert.json:1: empty"),
    "a deep alert": ({"alert.json": "[" * 100_000}, "alert.json: broken JSON"),
    "an alert that is none": ({"alert.json": "null"}, "alert.json: the body holds no alert"),
    "NaN in the alert": ({"alert.json": '{"value": NaN}'}, "alert.json: broken JSON: NaN"),
    "a broken recording": ({"calls.jsonl": '{"call_id": 1}\n'}, "calls.jsonl:1: "),
}


def is_one_line(stderr: str, said: str) -> bool:
    """Whether nothing but one line of ours was said that begins like this."""
    lines = stderr.strip().splitlines()
    return len(lines) == 1 and lines[0].startswith(f"fishbone: {said}") and len(lines[0]) < 500


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_one_line_and_nothing_is_written(
    name: str, make: Make, inside: Inside, tmp_path: Path
) -> None:
    files, said = REFUSED[name]
    done = inside("replay", make(files), "--out", tmp_path / "out")
    assert (done.code, done.out) == (2, "")
    assert is_one_line(done.err, said), done.err
    assert [path.name for path in tmp_path.iterdir()] == ["small"]


def test_the_command_itself_refuses_in_one_line(make: Make, cli: Cli, tmp_path: Path) -> None:
    done = cli("replay", make({"alert.json": '{"status":'}), "--out", "out")
    assert (done.returncode, done.stdout) == (2, "") and is_one_line(
        done.stderr, "alert.json:1: column 11: broken JSON"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["small"]


def test_an_alert_that_is_a_link_or_sparse_is_refused(make: Make, inside: Inside) -> None:
    linked, sparse = make(name="linked"), make(name="sparse")
    (linked / "alert.json").unlink()
    (linked / "alert.json").symlink_to("/etc/passwd")
    os.truncate(sparse / "alert.json", 5 << 30)
    assert is_one_line(inside("replay", linked).err, "alert.json: is a symbolic link, which is never followed")
    assert is_one_line(inside("replay", sparse).err, "alert.json: is sparse: 5368709120 bytes")


def test_what_is_no_bundle_is_refused_with_what_would_be_one(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "junk.tar.zst").write_bytes(b"junk")
    assert is_one_line(inside("replay", tmp_path / "junk.tar.zst").err, "junk.tar.zst: byte 0 of its content: broken")
    assert is_one_line(inside("replay", "/nowhere").err, "/nowhere: there is no such bundle")
    unknown = inside("replay", "nothing-like-this")
    assert unknown.code == 2 and SHIPPED.joinpath("edge-502").is_dir() and "edge-502" in unknown.err


def test_a_folder_that_holds_something_is_never_written_over(make: Make, inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("keep me")
    done = inside("replay", make(), "--out", tmp_path / "out")
    assert done.code == 2 and done.err.endswith("is not empty; name another folder, or add --force to replace it\n")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_a_folder_that_cannot_be_written_is_refused(make: Make, inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = inside("replay", make(), "--out", tmp_path / "file" / "out")
    assert done.code == 2
    assert "file/out: cannot be written: " in done.err.splitlines()[-1]


def test_evidence_cannot_be_asked_again_of_a_recording_without_files(
    make: Make, inside: Inside, tmp_path: Path
) -> None:
    recorded = make({"calls.jsonl": "", "contract.json": "{}"})
    done = inside("replay", recorded, "--evidence", "--out", tmp_path / "out")
    assert done.code == 2 and not (tmp_path / "out").exists()
    assert done.err.splitlines()[-1].endswith("has no evidence files to ask again; leave out --evidence")


def test_a_full_disk_is_one_line_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("app.cli.app", full)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert is_one_line(capsys.readouterr().err, "No space left on device: make room")
