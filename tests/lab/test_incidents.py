"""Every recorded incident is whole, sane and neutral: what a stranger may read, and what a replay needs."""

import csv
import gzip
import json
import re
import socket
from datetime import datetime
from pathlib import Path

import pytest
import yaml

from lab.load import CANARY
from lab.registry import faults
from lab.scenario import answer
from lab.table import table

ROOT = Path(__file__).parents[2]
INCIDENTS = ROOT / "incidents"
BUNDLES = sorted(path.parent for path in INCIDENTS.glob("*/incident.yaml"))
FAULTY = [bundle for bundle in BUNDLES if not bundle.name.endswith("-healthy")]
REQUIRED = (
    "incident.yaml", "alert.json", "expected.yaml", "host/snapshot.json", "network/probes.json",
    "metrics/metrics.csv.gz",
)  # fmt: skip
LARGEST, LARGEST_OF_ALL = 300_000, 9_000_000  # bytes
FAULTS_LEAST, FAMILIES_LEAST = 25, 12

# What only the recording machine has: paths, other programs, package hosts.
PATHS = re.compile(r"(?<![\w.-])/(work|root|home|tmp|mnt)\b|\.pyenv|\.venv|site-packages")
FOREIGN = re.compile(
    r"process_api|firecracker|binary_backend|sandbox|tokio"
    r"|-m lab\b|\blab/|nsenter|unshare|pytest|claude|anthropic|fishbone"
)
HOSTS = re.compile(
    r"pypi\.|npmjs|docker\.io|ghcr\.io|quay\.io|deb\.debian|debian\.org|artifactory|amazonaws|registry\.", re.IGNORECASE
)


def texts(bundle: Path) -> dict[str, str]:
    """Evidence by path; what says where a bundle comes from is none."""
    return {
        str(path.relative_to(bundle)): text_of(path)
        for path in sorted(bundle.rglob("*"))
        if path.is_file() and path.name != "expected.yaml"
    }


def text_of(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")


def moment(stamp: str) -> datetime:
    found = datetime.fromisoformat(stamp)
    assert found.utcoffset() is not None
    return found


def load(bundle: Path, name: str) -> dict:
    return yaml.safe_load((bundle / name).read_text(encoding="utf-8"))


@pytest.fixture(params=BUNDLES, ids=lambda bundle: bundle.name)
def bundle(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_there_are_many_faults_of_many_families() -> None:
    told = [load(found, "expected.yaml") for found in FAULTY]
    assert len({each["fault"] for each in told}) >= FAULTS_LEAST
    assert len({each["family"] for each in told}) >= FAMILIES_LEAST


def test_every_fault_of_the_lab_is_shipped_and_says_what_its_file_says() -> None:
    assert {bundle.name for bundle in FAULTY} == {scenario.folder for scenario in faults().values()}
    for scenario in faults().values():
        for healthy in (False, True):
            bundle = INCIDENTS / (scenario.folder + "-healthy" * healthy)
            assert load(bundle, "expected.yaml") == answer(scenario, healthy)


def test_the_docs_have_the_table_of_all_faults() -> None:
    assert table() in (ROOT / "docs/lab.md").read_text(encoding="utf-8")


def test_all_bundles_together_are_small() -> None:
    assert sum(path.stat().st_size for path in INCIDENTS.rglob("*") if path.is_file()) < LARGEST_OF_ALL


@pytest.mark.parametrize("faulty", FAULTY, ids=lambda found: found.name)
def test_a_fault_has_a_healthy_twin(faulty: Path) -> None:
    twin = faulty.with_name(f"{faulty.name}-healthy")
    assert load(faulty, "expected.yaml")["verdict"] == "root_cause"
    assert load(twin, "expected.yaml")["verdict"] == "healthy"


def test_a_bundle_has_its_files_and_is_small(bundle: Path) -> None:
    assert [name for name in REQUIRED if not (bundle / name).is_file()] == []
    assert any(text.strip() for path, text in texts(bundle).items() if path.startswith(("logs/", "docker/")))
    assert sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file()) < LARGEST


def test_the_window_holds_the_alert_and_the_samples(bundle: Path) -> None:
    incident = load(bundle, "incident.yaml")
    start, end = (moment(incident["window"][edge]) for edge in ("start", "end"))
    assert incident["schema"] == "fishbone/bundle@1"
    assert re.fullmatch(r"recorded-\d{8}-\d{6}", incident["id"])
    assert "fishbone record" in incident["notes"]
    assert incident["timezone"] == "UTC"
    assert start < moment(incident["fired_at"]) <= end
    assert 60 <= (end - start).total_seconds() <= 300
    samples = list(csv.DictReader(text_of(bundle / "metrics/metrics.csv.gz").splitlines()))
    assert samples
    for sample in samples:
        assert start <= moment(sample["timestamp"]) <= end
        assert re.fullmatch(r"\S+", sample["entity"])
        float(sample["value"])


def test_the_alert_is_what_alertmanager_posts(bundle: Path) -> None:
    body = json.loads((bundle / "alert.json").read_text(encoding="utf-8"))
    incident = load(bundle, "incident.yaml")
    assert body["version"] == "4"
    for alert in body["alerts"]:
        assert {"alertname", "severity", "instance"} <= alert["labels"].keys()
        assert alert["annotations"]["summary"] == incident["title"]
        assert alert["startsAt"] == incident["fired_at"]


def test_the_alert_tells_symptoms_and_not_the_cause(bundle: Path) -> None:
    told = (bundle / "alert.json").read_text(encoding="utf-8").lower()
    fault = load(bundle, "expected.yaml")["fault"]
    assert fault not in told
    assert not re.search(r"\boom\b|no space|too many (open files|clients)|expired|nxdomain|maxmemory|lock", told)


def test_documents_of_the_container_engine_are_json(bundle: Path) -> None:
    if (bundle / "docker").exists():
        containers = json.loads((bundle / "docker/containers.json").read_text(encoding="utf-8"))
        assert any(one.get("State", {}).get("Status") for one in containers if isinstance(one, dict))
        events = bundle / "docker/events.jsonl"  # none where the engine had no news in the window
        for row in events.read_text(encoding="utf-8").splitlines() if events.exists() else []:
            assert json.loads(row)["Type"]


def test_the_truth_is_well_formed(bundle: Path) -> None:
    expected = load(bundle, "expected.yaml")
    assert set(expected) >= {
        "verdict",
        "entities",
        "terms",
        "must_not_appear",
        "tempting_wrong_answer",
        "family",
        "source",
    }
    assert expected["difficulty"] in {"easy", "medium", "hard"}
    assert all(name == name.lower() for name in expected["entities"])
    assert all(group and all(term == term.lower() for term in group) for group in expected["terms"])
    assert bool(expected["entities"]) == bool(expected["terms"]) == (expected["verdict"] == "root_cause")
    assert expected["source"].startswith("lab: ")


def test_no_secret_stands_in_the_evidence(bundle: Path) -> None:
    evidence = "\n".join(texts(bundle).values())
    told = load(bundle, "expected.yaml")["must_not_appear"]
    assert CANARY in told
    assert [secret for secret in told if secret != CANARY and secret in evidence] == []


def test_the_words_of_a_stranger_stand_in_most_of_the_evidence() -> None:
    """Not in all: the log of a container goes with it, and not every program logs who asks."""
    steered = [bundle for bundle in BUNDLES if any(CANARY in text for text in texts(bundle).values())]
    assert len(steered) > 0.8 * len(BUNDLES)


def test_an_accepted_entity_is_named_in_the_evidence(bundle: Path) -> None:
    expected, evidence = load(bundle, "expected.yaml"), "\n".join(texts(bundle).values()).lower()
    assert not expected["entities"] or any(name in evidence for name in expected["entities"])


@pytest.mark.parametrize("what", [PATHS, FOREIGN, HOSTS], ids=["paths", "programs", "hosts"])
def test_nothing_of_the_recording_machine_is_in_it(bundle: Path, what: re.Pattern[str]) -> None:
    found = [
        (path, hit.group())
        for path, text in texts(bundle).items()
        if path != "alert.json" and path != "incident.yaml"
        for hit in what.finditer(text)
    ]
    assert found == []


def test_the_host_name_of_this_machine_is_not_in_it(bundle: Path) -> None:
    name = re.compile(rf"(?<![\w.-]){re.escape(socket.gethostname())}(?![\w.-])")
    assert [path for path, text in texts(bundle).items() if name.search(text)] == []
