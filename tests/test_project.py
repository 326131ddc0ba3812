"""House rules that a machine can hold."""

import re
import subprocess
from pathlib import Path

import pytest
import typer.main
import yaml

from agents.files import load_agents
from app.cli import app
from app.fingerprint import PACKAGES
from app.settings import Settings
from app.sources import recorded_servers
from bundle.bundle import open_bundle
from domain.tool import ToolSpec
from rag.runbooks import load
from tools.read_back import SPEC as READ_RESULT
from tools.registry import grants
from tools.servers import Servers

ROOT = Path(__file__).parents[1]
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "lab/README.md"]
SECTIONS = ["Meaning", "Impact", "Diagnosis", "Mitigation"]
BROAD = re.compile(r"^\s*except (Exception|BaseException)\b(?P<comment>.*)$|^\s*except:", re.MULTILINE)
MOST_BROAD = 3
PENDING: set[tuple[str, str]] = set()
REGISTRIES = re.compile(
    r"https?://[^\s/'\"`)]*(pypi|pythonhosted|registry|artifactory|nexus|npmjs|ghcr|quay|proxy\.golang)", re.IGNORECASE
)
MACHINE = re.compile(r"(?<![\w./-])/(work|root)/(?!\*)")
MAY_SAY = ("tests/", "lab/", "analysis/")  # what looks for such paths, or stands for one in a container, names them


def tracked(*endings: str) -> list[Path]:
    """Files under version control that end like this, recorded incidents left out."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = [name for name in names.split("\0") if name.endswith(endings) and not name.startswith("incidents/")]
    return [ROOT / name for name in found if (ROOT / name).is_file()]


@pytest.fixture
async def registry() -> dict[str, ToolSpec]:
    """Every tool of our servers."""

    async def nothing(*_: object, **__: object) -> None:
        """No runbooks are asked here."""

    with open_bundle(ROOT / "incidents" / "edge-502") as bundle:
        servers = Servers(recorded_servers(bundle, nothing, nothing))  # type: ignore[arg-type]
        found = await servers.specs() | {READ_RESULT.name: READ_RESULT}
        await servers.close()
    return found


def test_every_setting_stands_in_the_docs_and_nothing_else_does() -> None:
    told = set(re.findall(r"^\| `(FISHBONE_\w+)`", (ROOT / "docs/settings.md").read_text("utf-8"), re.MULTILINE))
    assert told == {f"FISHBONE_{name.upper()}" for name in Settings.model_fields}


def test_defaults_in_the_docs_are_those_of_the_code() -> None:
    page = (ROOT / "docs/settings.md").read_text("utf-8")
    for name, default in re.findall(r"^\| `FISHBONE_(\w+)` \| `([\w]+)` \|", page, re.MULTILINE):
        assert str(Settings.model_fields[name.lower()].default).lower() == default.lower(), name


def test_nobody_but_the_settings_reads_the_environment() -> None:
    readers = [
        path.relative_to(ROOT).as_posix()
        for path in tracked(".py")
        if path.relative_to(ROOT).parts[0] in PACKAGES
        and re.search(r"os\.environ(?!\.setdefault\(\"LANGGRAPH)|os\.getenv", path.read_text("utf-8"))
    ]
    assert set(readers) <= {"app/settings.py", "store/embedded.py", "store/cluster.py", "store/place.py"}


async def test_agents_name_only_tools_that_exist(registry: dict[str, ToolSpec]) -> None:
    granted = grants({name: file.tools for name, file in load_agents().items()}, registry)
    assert set(granted) == {"log", "metric", "infra", "runbook"}
    assert all("read_result" in tools for tools in granted.values())


async def test_every_tool_states_its_facts_and_when_to_use_it(registry: dict[str, ToolSpec]) -> None:
    for spec in registry.values():
        assert re.fullmatch(r"[a-z][a-z0-9_-]{2,63}", spec.name)
        assert spec.access.value == "read" and spec.timeout_seconds > 0 and spec.budget_chars > 0 and spec.view
        assert len(spec.description) > 60, f"{spec.name} does not say when to use it"
        bare = [key for key, facts in spec.input_schema.get("properties", {}).items() if spec.server != "hub"
                and "description" not in facts]  # fmt: skip
        assert bare == [], f"{spec.name}: arguments without a description"


def test_runbooks_have_their_sections_in_order() -> None:
    books = load([ROOT / "runbooks"])
    assert len(books) >= 15
    for book in books:
        assert re.findall(r"^## (.+)$", book.body, re.MULTILINE)[:4] == SECTIONS, book.name


@pytest.mark.parametrize("page", [page for page in DOCS if page.is_file()], ids=lambda page: page.name)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z]+)`|^ +make ([a-z]+)", text, re.MULTILINE)) <= {
        pair for target in targets for pair in ((target, ""), ("", target))
    }
    known = set(commands())
    for words in re.findall(r"(?:`|^ +)fishbone ([a-z]+(?: [a-z]+)?)", text, re.MULTILINE):
        assert words in known or words.split()[0] in known, f"{page.name} names `fishbone {words}`"


def test_every_command_has_its_row_in_the_docs() -> None:
    page = (ROOT / "docs/cli.md").read_text("utf-8")
    assert [name for name in commands() if f"`fishbone {name}" not in page and name not in ("runbooks",)] == []


def commands() -> list[str]:
    """All commands of the command line, those of groups with their group."""
    found: list[str] = []
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        found += [name, *(f"{name} {inner}" for inner in getattr(command, "commands", {}))]
    return found


def prose(page: Path) -> str:
    """A page without its front matter."""
    text = page.read_text("utf-8")
    return text.split("\n---\n", 1)[-1] if text.startswith("---\n") else text


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        (page.name, target)
        for page in tracked(".md")
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", prose(page))
        if not page.relative_to(ROOT).as_posix().startswith(("agents/", "tests/"))
        and not (page.parent / target).exists()
    ]
    assert set(broken) <= PENDING


def test_no_registry_and_no_path_of_a_machine_stands_in_the_project() -> None:
    wrong = []
    for path in tracked(".py", ".md", ".toml", ".lock", ".yaml", ".yml", ".sh", ".sql", "Makefile", "run", ".json"):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
        wrong += [(name, hit[0]) for hit in REGISTRIES.finditer(text) if not name.startswith("tests/")]
        wrong += [(name, hit[0]) for hit in MACHINE.finditer(text) if not name.startswith((*MAY_SAY, "runbooks/"))]
    assert wrong == []


def test_the_lock_names_no_host_and_hashes_everything() -> None:
    text = (ROOT / "requirements.lock").read_text("utf-8")
    assert "://" not in text
    pinned = re.findall(r"^[a-z0-9][\w.\[\]-]*==", text, re.MULTILINE)
    assert len(pinned) > 30 and len(re.findall(r"--hash=sha256:", text)) >= len(pinned)


def test_broad_excepts_are_few_and_say_why() -> None:
    found = [
        (path.relative_to(ROOT).as_posix(), hit.group("comment") or "")
        for path in tracked(".py")
        if path.relative_to(ROOT).parts[0] in PACKAGES
        for hit in BROAD.finditer(path.read_text("utf-8"))
    ]
    assert len(found) <= MOST_BROAD and [each for each in found if "#" not in each[1]] == []


def test_every_package_is_shipped() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    folders = {p.parent.relative_to(ROOT).as_posix().replace("/", ".") for p in tracked("__init__.py")}
    shipped = set(re.findall(r'"([\w.]+)"', text.partition("packages = [")[2].partition("]")[0]))
    assert {name for name in folders if name.split(".")[0] not in ("tests", "lab", "bench")} <= shipped | {"incidents"}


def test_every_package_has_a_purpose_and_no_junk_drawer() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked(".py")}
    assert not names & {"utils", "core", "common", "service", "services", "helpers", "lib"}
    assert set(PACKAGES) <= names


def test_ci_runs_what_the_readme_says() -> None:
    ci = (ROOT / ".ci/run").read_text("utf-8")
    assert "make test" in ci and "make check" in ci


def test_agent_files_are_yaml_with_limits() -> None:
    for path in sorted((ROOT / "agents").glob("*.md")):
        if path.name != "rules.md":
            front = yaml.safe_load(path.read_text("utf-8").split("---\n")[1])
            assert front["limits"]["steps"] <= 20 and front["limits"]["seconds"] <= 120
