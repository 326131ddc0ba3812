"""The files that deploy fishbone. No image can be pulled here: they are held to schemas, checkers and house rules."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from app.settings import load_settings

HERE = Path(__file__).parent
SCHEMA_SHA256 = "d549057ebc2925f39f62799eab0db7b9e2c18b35b6c00595199116da3ed10e64"
COMPOSE: dict[str, Any] = yaml.safe_load(Path("compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = ("web", "worker", "demo-app")
SECRET = "/run/secrets/fishbone_token"


def test_compose_yaml_keeps_to_the_specification() -> None:
    raw = (HERE / "compose-spec.json").read_bytes()
    assert hashlib.sha256(raw).hexdigest() == SCHEMA_SHA256
    problems = [f"{list(e.path)}: {e.message}" for e in Draft202012Validator(json.loads(raw)).iter_errors(COMPOSE)]
    assert problems == []


def test_the_schema_would_notice_a_mistake() -> None:
    wrong = COMPOSE | {"services": {"web": {"image": "x", "prots": ["80"]}}}
    assert not Draft202012Validator(json.loads((HERE / "compose-spec.json").read_bytes())).is_valid(wrong)


def test_what_compose_names_is_there() -> None:
    for name, service in SERVICES.items():
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source.startswith("/") or source in COMPOSE["volumes"] or Path(source).exists(), (name, volume)
        assert set(service.get("networks", ())) <= set(COMPOSE["networks"]), name
        assert set(service.get("secrets", ())) <= set(COMPOSE["secrets"]), name
        assert set(service.get("depends_on", ())) <= set(SERVICES), name


def test_no_image_is_without_a_version() -> None:
    images = [service["image"] for service in SERVICES.values()]
    images += [container["image"] for document in kubernetes() for container in containers(document)]
    for image in images:
        assert re.fullmatch(r"[\w./-]+:v?\d[\w.-]*", image), image


def test_every_service_is_confined() -> None:
    for name, service in SERVICES.items():
        assert "no-new-privileges:true" in service["security_opt"], name
        assert not service.get("privileged"), name
        if name != "postgres":  # its image starts as root and hands over
            assert service["read_only"] and service["cap_drop"] == ["ALL"], name
    assert all(SERVICES[name]["user"] == "10001:10001" for name in OURS)


def test_only_the_proxy_has_the_socket_of_the_engine_and_it_only_reads() -> None:
    holders = [name for name, service in SERVICES.items() if "docker.sock" in str(service.get("volumes", ""))]
    assert holders == ["docker-proxy"]
    proxy = SERVICES["docker-proxy"]
    assert proxy["environment"]["POST"] == 0
    assert proxy["environment"]["EXEC"] == 0
    assert proxy["networks"] == ["inside"]
    assert "ports" not in proxy
    assert COMPOSE["networks"]["inside"]["internal"] is True


def test_nothing_listens_beyond_this_machine_and_no_secret_is_written_down() -> None:
    for name, service in SERVICES.items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), name
    assert not re.search(
        r"(?i)(password|token|secret)\w*\s*[:=]\s*['\"]?[0-9a-z]{12,}", Path("compose.yaml").read_text()
    )


def test_two_workers_run_and_may_end_in_peace() -> None:
    worker = SERVICES["worker"]
    assert worker["deploy"]["replicas"] == 2
    assert int(worker["stop_grace_period"].removesuffix("s")) > load_settings().drain_seconds


def test_the_settings_of_the_containers_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("deploy")
    settings = load_settings()
    assert settings.docker_host == "tcp://docker-proxy:2375"
    assert settings.notify["files"].folder == Path("/data/reports")
    named = [key for service in SERVICES.values() for key in service.get("environment", {}) if "FISHBONE" in key]
    known = {f"FISHBONE_{name.upper()}" for name in type(settings).model_fields}
    assert set(named) <= known


def test_the_settings_in_the_cluster_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [config] = [one for one in kubernetes() if one["kind"] == "ConfigMap"]
    (tmp_path / "fishbone.toml").write_text(config["data"]["fishbone.toml"])
    monkeypatch.chdir(tmp_path)
    assert load_settings().log_format == "json"


# The Dockerfile


def instructions() -> list[tuple[str, str]]:
    """(instruction, rest) with continued lines joined and comments left out."""
    lines = [line for line in Path("Dockerfile").read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [(line.split(None, 1)[0].upper(), line.split(None, 1)[1]) for line in joined.splitlines() if line.strip()]


def last_stage() -> list[tuple[str, str]]:
    found = instructions()
    start = max(at for at, (name, _) in enumerate(found) if name == "FROM")
    return found[start:]


def test_the_image_is_made_in_two_stages_from_a_base_with_a_version() -> None:
    stages = [rest for name, rest in instructions() if name == "FROM"]
    assert [stage.split(" AS ")[1] for stage in stages] == ["build", "run"]
    assert all(stage.startswith("${PYTHON} ") for stage in stages)
    [base] = [rest for name, rest in instructions() if name == "ARG"]
    assert re.fullmatch(r"PYTHON=python:3\.11\.\d+-slim-\w+(@sha256:[0-9a-f]{64})?", base)


def test_what_is_shipped_runs_without_root_and_was_only_copied_from_the_build() -> None:
    stage = last_stage()
    [user] = [rest for name, rest in stage if name == "USER"]
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    after = [name for name, _ in stage[stage.index(("USER", user)) :]]
    assert "RUN" not in after and "COPY" not in after
    assert all(rest.startswith("--from=build") for name, rest in stage if name == "COPY")
    assert not any(word in rest for name, rest in stage if name == "RUN" for word in ("pip", "apt", "curl", "wget"))


def test_packages_are_locked_by_hash_and_nothing_is_fetched_otherwise() -> None:
    runs = [rest for name, rest in instructions() if name == "RUN"]
    installs = [command for run in runs for command in run.split("&&") if "pip install" in command]
    assert all("--require-hashes" in command or "--no-deps" in command for command in installs)
    assert any("--require-hashes -r /src/requirements.lock" in command for command in installs)
    assert not any(name == "ADD" for name, _ in instructions())
    assert not re.search(r"https?://(?!127\.0\.0\.1)", Path("Dockerfile").read_text())


def test_the_image_starts_and_stops_by_itself() -> None:
    found = dict(last_stage())
    assert found["STOPSIGNAL"] == "SIGTERM"
    assert json.loads(found["ENTRYPOINT"]) == ["fishbone"]
    assert "/healthz" in found["HEALTHCHECK"]
    assert "FISHBONE_DATA=/data" in found["ENV"]


def test_every_package_of_the_build_reaches_it_and_secrets_do_not() -> None:
    ignored = Path(".dockerignore").read_text().splitlines()
    kept = {line[1:] for line in ignored if line.startswith("!")}
    packages = re.search(r"packages = \[(.*?)\]", Path("pyproject.toml").read_text(), re.DOTALL)
    assert packages is not None
    assert {name.partition(".")[0] for name in re.findall(r'"([\w.]+)"', packages[1])} <= kept
    assert "*" in ignored
    assert not kept & {"secrets", ".git", "deploy", "tests", ".venv"}


# Monitoring


def have(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed (Debian: prometheus, prometheus-alertmanager)")
    return found


def checked(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stdout + done.stderr


def localised(path: str, folder: Path) -> Path:
    """The configuration with a token that is there."""
    (folder / "token").write_text("x")
    copied = folder / Path(path).name
    copied.write_text(Path(path).read_text().replace(SECRET, str(folder / "token")))
    return copied


def test_prometheus_takes_its_configuration_and_the_rules_fire_when_they_should(tmp_path: Path) -> None:
    promtool = have("promtool")
    shutil.copy("deploy/prometheus/rules.yml", tmp_path)
    checked([promtool, "check", "config", str(localised("deploy/prometheus/prometheus.yml", tmp_path))])
    checked([promtool, "test", "rules", "deploy/prometheus/rules.test.yml"])


def test_alertmanager_takes_its_configuration(tmp_path: Path) -> None:
    checked([have("amtool"), "check-config", str(localised("deploy/alertmanager/alertmanager.yml", tmp_path))])


def test_targets_are_services_of_compose_on_the_same_network() -> None:
    text = (
        Path("deploy/prometheus/prometheus.yml").read_text() + Path("deploy/alertmanager/alertmanager.yml").read_text()
    )
    for host in re.findall(r"(?:\"|//)([a-z-]+):\d+", text):
        assert "inside" in SERVICES[host]["networks"], host


def test_our_own_rules_name_metrics_that_are_there() -> None:
    wanted = set(re.findall(r"fishbone_\w+", Path("deploy/prometheus/rules.yml").read_text()))
    assert {name for name in wanted if name not in Path("app/gauges.py").read_text()} == set()


def test_the_demo_grows_until_it_is_ended() -> None:
    program = Path("deploy/demo/leak.py").read_text().replace("8000", "0").replace("0.0.0.0", "127.0.0.1")
    program = program.replace("HTTPServer((", "SERVER = HTTPServer((").replace(
        ".serve_forever()", "; print(SERVER.server_port, flush=True); SERVER.serve_forever()"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as demo:
        try:
            assert demo.stdout is not None
            port = int(demo.stdout.readline())
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
                assert re.match(rb"demo_sessions [1-9]", answer.read())
        finally:
            demo.kill()


# Kubernetes


def kubernetes() -> list[dict[str, Any]]:
    return [
        document for path in sorted(Path("deploy/kubernetes").glob("*.yaml"))
        for document in yaml.safe_load_all(path.read_text())
    ]  # fmt: skip


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    for document in kubernetes():
        if document["kind"] in ("Deployment", "DaemonSet"):
            yield document["metadata"]["name"], document["spec"]["template"]["spec"]


def containers(document: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document.get("spec", {}).get("template", {}).get("spec", {}).get("containers", [])
    return found


def test_every_pod_is_confined_and_has_no_access_to_the_cluster() -> None:
    for name, pod in pods():
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault", name
        for container in pod["containers"]:
            confined = container["securityContext"]
            assert confined["readOnlyRootFilesystem"] and not confined["allowPrivilegeEscalation"], name
            assert confined["capabilities"] == {"drop": ["ALL"]}, name
            assert container["resources"]["limits"]["memory"], name


def test_selectors_select_and_mounts_are_there() -> None:
    for document in kubernetes():
        if document["kind"] not in ("Deployment", "DaemonSet"):
            continue
        spec = document["spec"]
        assert spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items()
        volumes = {volume["name"] for volume in spec["template"]["spec"]["volumes"]}
        for container in containers(document):
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes


def test_secrets_come_from_secrets() -> None:
    for _, pod in pods():
        for variable in (one for container in pod["containers"] for one in container["env"]):
            if re.search(r"TOKEN|DATABASE", variable["name"]):
                assert "secretKeyRef" in variable["valueFrom"], variable["name"]
    assert not any(document["kind"] == "Secret" for document in kubernetes())
