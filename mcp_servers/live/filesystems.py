"""File systems of the machine. A network file system whose server is away hangs whoever asks: each is asked apart."""

import os
from typing import Final

import psutil

from analysis.captures.context import Context, safe_entity
from domain.errors import ToolUnavailable
from domain.facts import Fact
from mcp_servers.live.bounded import each_within

_SECONDS: Final = 3.0
_MOST: Final = 200
_TYPES: Final = (
    "ext", "xfs", "btrfs", "zfs", "vfat", "tmpfs", "nfs", "cifs", "smb", "fuse", "f2fs", "ceph", "gluster", "9p",
    "ntfs", "exfat", "overlay", "virtiofs",
)  # fmt: skip
_INNER: Final = ("/overlay2/", "/overlayfs/", "/containers/storage/", "/netns/", "/snap/")  # an engine's own mounts


def filesystem_facts(context: Context, problems: list[str]) -> list[Fact]:
    """Space, inodes and options of each mount that holds files."""
    mounts = {
        one.mountpoint: one
        for one in psutil.disk_partitions(all=True)
        if one.fstype.startswith(_TYPES) and not any(part in one.mountpoint for part in _INNER)
    }
    kept = [mounts[mount] for mount in sorted(mounts)][:_MOST]
    found = each_within(
        _SECONDS, kept, lambda one: f"filesystem {one.mountpoint}", lambda one: _fact(one, context), problems
    )
    return [fact for fact in found if fact is not None]


def _fact(mount: psutil._ntuples.sdiskpart, context: Context) -> Fact | None:
    try:
        space = os.statvfs(mount.mountpoint)
    except FileNotFoundError:  # another mount covers it: nothing can be written there
        return None
    except OSError as exc:  # its server is gone, say: the rest is told all the same
        raise ToolUnavailable(f"filesystem {mount.mountpoint}: {exc.strerror}") from exc
    block = space.f_frsize
    used, available = (space.f_blocks - space.f_bfree) * block, space.f_bavail * block
    inodes = space.f_files - space.f_ffree
    options = mount.opts.split(",")
    return context.fact(
        "filesystem",
        safe_entity("disk", mount.mountpoint),
        None,
        mount=mount.mountpoint,
        device=mount.device,
        type=mount.fstype,
        size=space.f_blocks * block,
        used=used,
        available=available,
        use_percent=_share(used, used + available),
        inodes=space.f_files or None,
        inodes_used=inodes if space.f_files else None,
        inodes_use_percent=_share(inodes, space.f_files),
        read_only="ro" in options,
        options=options,
    )


def _share(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None
