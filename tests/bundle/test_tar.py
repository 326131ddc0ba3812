"""A packed bundle is read without trusting a name in it."""

import io
import tarfile
from pathlib import Path

import pytest
from backports import zstd

from bundle.bundle import open_bundle
from bundle.limits import MIB, Limits
from bundle.tar import pack
from domain.errors import BadBundle
from tests.bundle.conftest import MANIFEST, Make


def packed(path: Path, members: list[tuple[tarfile.TarInfo, bytes]]) -> Path:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    path.write_bytes(zstd.compress(raw.getvalue()))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    return made


WHOLE = [(member("incident.yaml"), MANIFEST.encode()), (member("alert.json"), b"{}")]


def test_a_packed_bundle_reads_like_its_folder_and_leaves_nothing_behind(make: Make, tmp_path: Path) -> None:
    root = make({"logs/web.log": "hello\n", "expected.yaml": "verdict: lie\n"})
    pack(root, tmp_path / "small.tar.zst")
    first = (tmp_path / "small.tar.zst").read_bytes()
    pack(root, tmp_path / "small.tar.zst")
    assert (tmp_path / "small.tar.zst").read_bytes() == first
    with open_bundle(tmp_path / "small.tar.zst") as bundle:
        assert bundle.read_text("logs/web.log") == "hello\n" and bundle.files() == open_bundle(root).files()
        unpacked = bundle.root
        assert unpacked.stat().st_mode & 0o077 == 0 and not (unpacked / "expected.yaml").exists()
    assert not unpacked.exists()


def test_a_bundle_packed_with_its_folder_opens(tmp_path: Path) -> None:
    inner = [(member("mine/incident.yaml"), MANIFEST.encode()), (member("./mine/alert.json"), b"{}")]
    with open_bundle(packed(tmp_path / "b.tar.zst", inner)) as bundle:
        assert bundle.id == "small"


@pytest.mark.parametrize(
    "odd",
    [
        member("../escaped.log"), member("/tmp/escaped.log"), member("logs/../../escaped.log"),
        member("logs/link.log", tarfile.SYMTYPE, "/etc/hostname"),
        member("logs/hard.log", tarfile.LNKTYPE, "/etc/hostname"),
        member("logs/pipe", tarfile.FIFOTYPE), member("logs/device", tarfile.CHRTYPE), member("alert.json/x"),
    ],
)  # fmt: skip
def test_a_member_that_would_leave_or_is_no_file_becomes_a_gap(tmp_path: Path, odd: tarfile.TarInfo) -> None:
    with open_bundle(packed(tmp_path / "b.tar.zst", [*WHOLE, (odd, b"")])) as bundle:
        assert bundle.files() == () and len(bundle.gaps) == 1
        assert sorted(path.name for path in bundle.root.rglob("*")) == ["alert.json", "incident.yaml"]
    assert not (tmp_path / "escaped.log").exists() and not Path("/tmp/escaped.log").exists()


def test_a_link_to_a_folder_does_not_carry_later_members_out(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    members = [*WHOLE, (member("logs", tarfile.SYMTYPE, str(outside)), b""), (member("logs/a.log"), b"x\n")]
    with open_bundle(packed(tmp_path / "b.tar.zst", members)) as bundle:
        assert bundle.read_text("logs/a.log") == "x\n"
    assert list(outside.iterdir()) == []


def test_the_same_name_twice_is_told(tmp_path: Path) -> None:
    with open_bundle(packed(tmp_path / "b.tar.zst", [*WHOLE, (member("alert.json"), b"[]")])) as bundle:
        assert bundle.alert == {} and "more than once" in bundle.gaps[0].why


def test_a_bomb_in_an_archive_stops_before_it_fills_the_disk(tmp_path: Path) -> None:
    path = packed(tmp_path / "b.tar.zst", [*WHOLE, (member("logs/bomb.log"), b"0" * 64 * MIB)])
    with pytest.raises(BadBundle, match=r"b\.tar\.zst: decompresses to more than 100 times"):
        open_bundle(path, Limits(ratio_from=MIB, max_ratio=100))
    with pytest.raises(BadBundle, match=r"more than 2 files"):
        open_bundle(path, Limits(max_files=2))


def test_a_header_of_megabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": "x" * 3 * MIB}) as tar:
        tar.addfile(member("incident.yaml"))
    (tmp_path / "b.tar.zst").write_bytes(zstd.compress(raw.getvalue()))
    with pytest.raises(BadBundle, match="a header of"):
        open_bundle(tmp_path / "b.tar.zst")


@pytest.mark.parametrize("data", [b"", b"not zstd", zstd.compress(b"not a tar" * 200), zstd.compress(b"x")[:-3]])
def test_a_broken_archive_is_named(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "b.tar.zst").write_bytes(data)
    with pytest.raises(BadBundle, match=r"b\.tar\.zst|incident\.yaml"):
        open_bundle(tmp_path / "b.tar.zst")
