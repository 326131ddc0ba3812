"""Every recorded incident is whole, sane and neutral: what a stranger may read, and what a replay needs."""

import csv
import json
import re
import socket
from datetime import datetime
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
INCIDENTS = ROOT / "incidents"
BUNDLES = sorted(path.parent for path in INCIDENTS.glob("*/incident.yaml"))
FAULTY = [bundle for bundle in BUNDLES if not bundle.name.endswith("-healthy")]
REQUIRED = ("incident.yaml", "alert.json", "expected.yaml", "artifacts/facts.txt", "metrics/metrics.csv")
LARGEST = 300_000  # bytes of a bundle
FAMILIES_LEAST = 6

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
        str(path.relative_to(bundle)): path.read_text(encoding="utf-8")
        for path in sorted(bundle.rglob("*"))
        if path.is_file() and path.name != "expected.yaml"
    }


def moment(stamp: str) -> datetime:
    found = datetime.fromisoformat(stamp)
    assert found.utcoffset() is not None
    return found


def load(bundle: Path, name: str) -> dict:
    return yaml.safe_load((bundle / name).read_text(encoding="utf-8"))


@pytest.fixture(params=BUNDLES, ids=lambda bundle: bundle.name)
def bundle(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_there_are_faults_of_many_families() -> None:
    assert len({load(found, "expected.yaml")["family"] for found in FAULTY}) >= FAMILIES_LEAST


@pytest.mark.parametrize("faulty", FAULTY, ids=lambda found: found.name)
def test_a_fault_has_a_healthy_twin(faulty: Path) -> None:
    twin = faulty.with_name(f"{faulty.name}-healthy")
    assert load(faulty, "expected.yaml")["verdict"] == "root_cause"
    assert load(twin, "expected.yaml")["verdict"] == "healthy"
    assert {path for path in texts(faulty) if path.startswith("logs/")} == {
        path for path in texts(twin) if path.startswith("logs/")
    }


def test_a_bundle_has_its_files_and_is_small(bundle: Path) -> None:
    assert [name for name in REQUIRED if not (bundle / name).is_file()] == []
    assert any(text.strip() for path, text in texts(bundle).items() if path.startswith("logs/"))
    assert sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file()) < LARGEST


def test_the_window_holds_the_alert_and_the_samples(bundle: Path) -> None:
    incident = load(bundle, "incident.yaml")
    start, end = (moment(incident["window"][edge]) for edge in ("start", "end"))
    assert incident["schema"] == "fishbone/bundle@1"
    assert re.fullmatch(r"lab-[0-9a-f]{6}", incident["id"])
    assert incident["timezone"] == "UTC"
    assert start < moment(incident["fired_at"]) <= end
    assert 60 <= (end - start).total_seconds() <= 300
    with (bundle / "metrics/metrics.csv").open(encoding="utf-8") as rows:
        samples = list(csv.DictReader(rows))
    assert samples
    for sample in samples:
        assert start <= moment(sample["timestamp"]) <= end
        assert re.fullmatch(r"[a-z]+:\S+", sample["entity"])
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
        assert all(container["State"] for container in containers)
        for row in (bundle / "docker/events.jsonl").read_text(encoding="utf-8").splitlines():
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


def test_what_must_not_appear_stands_in_the_evidence(bundle: Path) -> None:
    evidence = "\n".join(texts(bundle).values())
    assert [secret for secret in load(bundle, "expected.yaml")["must_not_appear"] if secret not in evidence] == []


def test_an_accepted_entity_is_named_in_the_evidence(bundle: Path) -> None:
    expected, evidence = load(bundle, "expected.yaml"), "\n".join(texts(bundle).values()).lower()
    assert not expected["entities"] or any(name in evidence for name in expected["entities"])


@pytest.mark.parametrize("what", [PATHS, FOREIGN, HOSTS], ids=["paths", "programs", "hosts"])
def test_nothing_of_the_recording_machine_is_in_it(bundle: Path, what: re.Pattern[str]) -> None:
    found = [
        (path, hit.group())
        for path, text in texts(bundle).items()
        if path != "alert.json"
        for hit in what.finditer(text)
    ]
    assert [hit for hit in found if hit != ("incident.yaml", "fishbone")] == []


def test_the_host_name_of_this_machine_is_not_in_it(bundle: Path) -> None:
    name = re.compile(rf"(?<![\w.-]){re.escape(socket.gethostname())}(?![\w.-])")
    assert [path for path, text in texts(bundle).items() if name.search(text)] == []
