"""Names of alerts and of runbooks."""

import pytest

from domain.runbook import Runbook
from rag.names import is_alike, matches_exactly, matches_url, plain, words

DISK = Runbook(
    "disk-full", "d", "disk.full", "disk", "s",
    alerts=("NodeFilesystemAlmostOutOfSpace", "HostOutOfDiskSpace", "(?i).*volume.*(full|space).*"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("KubePodCrashLooping", ("kube", "pod", "crash", "looping")),
        ("etcdHighFsyncDurations", ("etcd", "high", "fsync", "durations")),
        ("HTTPErrorRate5xx", ("http", "error", "rate", "5", "xx")),
        ("disk_usage-high", ("disk", "usage", "high")),
    ],
)
def test_a_name_falls_into_words(name, said):
    assert words(name) == said


def test_case_separators_and_the_prefix_of_the_rule_set_do_not_matter():
    assert plain("KubePodCrashLooping") == plain("pod_crash_looping") == plain("pod-crash-looping") == "crashlooping"


@pytest.mark.parametrize(
    "name", ["NodeFilesystemAlmostOutOfSpace", "filesystem_almost_out_of_space", "disk-full", "DataVolumeIsFull"]
)
def test_a_runbook_answers_names_variants_and_patterns(name):
    assert matches_exactly(DISK, name)


@pytest.mark.parametrize("name", ["NodeFilesystemFilesFillingUp", "DiskWillBreak", "MyDataVolume", ""])
def test_a_runbook_does_not_answer_other_names(name):
    assert not matches_exactly(DISK, name)


@pytest.mark.parametrize(
    ("url", "meant"),
    [
        ("https://runbooks.example/node/nodefilesystemalmostoutofspace", True),
        ("https://wiki.example/runbooks/disk-full.md?v=2#top", True),
        ("https://wiki.example/runbooks/", False),
        ("", False),
    ],
)
def test_a_link_means_the_runbook_it_ends_in(url, meant):
    assert matches_url(DISK, url) is meant


def test_names_that_share_their_telling_words_are_alike():
    assert is_alike(Runbook("x", "d", "disk.full", "disk", "s", alerts=("HostDiskFull",)), "FilesystemFullAlert")
    assert not is_alike(DISK, "NodeMemoryFull")
