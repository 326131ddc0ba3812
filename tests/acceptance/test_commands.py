"""The commands: what they print, how they end, what their help says."""

import importlib.metadata
import json
import time
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from tests.acceptance.conftest import FISHBONE, MANIFEST, SHIPPED, Cli, Inside, Make, Running

INCIDENT = "invoice-batches-fail"
COMMANDS = (
    (), ("replay",), ("eval",), ("report",), ("mcp",), ("doctor",), ("incidents",), ("incidents", "list"),
    ("incidents", "show"), ("runbooks",), ("runbooks", "index"), ("runbooks", "search"), ("runbooks", "check"),
)  # fmt: skip
MISUSED = (
    ("nonsense",),
    ("replay",),
    ("replay", "x", "--nonsense"),
    ("eval",),
    ("runbooks", "search", "x", "--top", "0"),
    ("mcp", "nonsense", "--bundle", str(SHIPPED / INCIDENT)),
    ("report", "no-such-incident"),
    ("incidents", "show", "no-such-incident"),
    ("eval", "/nowhere"),
    ("eval", str(SHIPPED), "--bar", "nonsense=1"),
    ("eval", str(SHIPPED), "--bar", "ac_at_1=much"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(command: tuple[str, ...], inside: Inside) -> None:
    done = inside(*command, "--help")
    assert done.code == 0 and "Usage" in done.out and done.err == ""


def test_the_version_is_that_of_the_package(inside: Inside) -> None:
    assert inside("--version").out == f"fishbone {importlib.metadata.version('fishbone')}\n"


def test_help_comes_at_once(cli: Cli) -> None:
    took = []
    for _ in range(3):
        begun = time.monotonic()
        assert cli("--help").returncode == 0
        took.append(time.monotonic() - begun)
    assert min(took) < 2  # 0.3 s on a free machine: bench measures, this only finds a heavy import


@pytest.mark.parametrize("arguments", MISUSED, ids=" ".join)
def test_bad_usage_is_exit_2_without_a_traceback(arguments: tuple[str, ...], inside: Inside) -> None:
    done = inside(*arguments)
    assert done.code == 2 and done.out == "" and done.err.strip()
    assert "Traceback" not in done.err


def test_a_setting_that_is_wrong_is_one_line_that_names_it(inside: Inside) -> None:
    done = inside("incidents", FISHBONE_RESULT_CHARS="few")
    assert done.code == 2 and len(done.err.splitlines()) == 1
    assert done.err.startswith("fishbone: FISHBONE_RESULT_CHARS (or result_chars in fishbone.toml): ")


def test_a_database_that_does_not_answer_is_exit_1_in_one_line(
    make: Make, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.database.Database.open.__func__.__kwdefaults__", {"size": 10, "wait_seconds": 0.5})
    done = inside("replay", make(), FISHBONE_DATABASE_URL="host=127.0.0.1 port=9 dbname=x")
    assert done.code == 1 and "the database at 127.0.0.1:9 does not answer" in done.err.splitlines()[-1]
    assert "Traceback" not in done.err and "psycopg" not in done.err


def test_a_replay_is_listed_shown_and_printed_again(cli: Cli, inside: Inside, tmp_path: Path) -> None:
    done = cli("replay", INCIDENT)
    assert done.returncode == 0, done.stderr
    assert "Invoice batches fail" in done.stdout and "memory.oom_kill" in done.stdout
    assert len(done.stdout.splitlines()) < 30 and "\x1b" not in done.stdout + done.stderr
    for agent in ("log", "metric", "infra", "runbook"):
        assert f"{agent}: started" in done.stderr
    kept = Path(done.stderr.splitlines()[-1].removeprefix("Report: "))
    (incident,) = [line.split()[0] for line in inside("incidents").out.splitlines() if "Invoice batches" in line]
    assert incident in inside("incidents", "list").out
    assert incident in inside("incidents", COLUMNS="60").out, "ids are there to be copied"
    assert "InvoiceBatchErrors" in inside("incidents", "show", incident).out
    assert inside("report", incident).out == kept.read_text("utf-8")
    stored = json.loads(inside("report", incident, "--json").out)
    assert stored == json.loads(kept.with_name("report.json").read_text("utf-8"))


def test_a_title_that_looks_like_markup_is_listed_as_it_stands(make: Make, inside: Inside) -> None:
    odd = MANIFEST.replace("orders are slow", "'[/red] [bold]orders[/bold] \\x1b[31m'").replace("id: small", "id: odd")
    assert inside("replay", make({"incident.yaml": odd})).code == 0
    done = inside("incidents")
    assert done.code == 0 and "[/red] [bold]orders[/bold]" in done.out and "\x1b" not in done.out
    assert inside("incidents", "show", "odd").code == 0


def test_json_goes_to_standard_output_whole(cli: Cli) -> None:
    done = cli("replay", INCIDENT, "--json")
    assert json.loads(done.stdout)["verdict"] == "root_cause"


def test_force_replaces_what_is_there(make: Make, inside: Inside, tmp_path: Path) -> None:
    bundle, out = make(), tmp_path / "out"
    assert inside("replay", bundle, "--out", out).code == 0
    first = (out / "report.json").read_bytes()
    assert inside("replay", bundle, "--out", out).code == 2 and (out / "report.json").read_bytes() == first
    assert inside("replay", bundle, "--out", out, "--force").code == 0
    assert (out / "report.json").read_bytes() != first  # another run
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_doctor_tells_each_part(inside: Inside) -> None:
    done = inside("doctor")
    assert done.code == 0, done.out
    for part in ("data folder", "agents", "runbooks", "database", "runbook index", "models"):
        assert part in done.out
    assert "degraded" not in done.out


def test_doctor_tells_what_is_degraded(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "books" / "bad").mkdir(parents=True)
    (tmp_path / "books" / "bad" / "RUNBOOK.md").write_text("no front matter")
    done = inside("doctor", FISHBONE_RUNBOOKS=str(tmp_path / "books"))
    assert done.code == 1 and "degraded" in done.out and "bad" in done.out


def test_the_shipped_runbooks_pass_their_check(inside: Inside) -> None:
    done = inside("runbooks", "check")
    assert done.code == 0 and done.out.endswith("no problem\n"), done.out


def test_a_runbook_with_a_problem_fails_the_check(inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "books" / "twice").mkdir(parents=True)
    text = (SHIPPED.parent / "runbooks" / "disk-full" / "RUNBOOK.md").read_text("utf-8")
    (tmp_path / "books" / "twice" / "RUNBOOK.md").write_text(text.replace("name: disk-full", "name: twice"))
    done = inside("runbooks", "check", FISHBONE_RUNBOOKS=str(tmp_path / "books"))
    assert done.code == 1 and "twice" in done.out


def test_eval_grades_and_holds_a_bar(make: Make, inside: Inside, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / INCIDENT).symlink_to(SHIPPED / INCIDENT)
    make(name="set/alone")
    (folder / "alone" / "expected.yaml").write_text("verdict: root_cause\nentities: [nothing]\nterms: [[nothing]]\n")
    done = inside(
        "eval", SHIPPED / INCIDENT, folder / "alone", "--json", tmp_path / "grades.json", "--bar", "ac_at_1=0.4"
    )
    assert done.code == 0, done.err
    summary = json.loads((tmp_path / "grades.json").read_text())["summary"]
    assert (summary["bundles"], summary["ac_at_1"], summary["failed"], summary["abstained"]) == (2, 0.5, 0, 0.5)
    missed = inside("eval", folder / "alone", "--bar", "ac_at_1=0.9")
    assert missed.code == 1 and missed.err.endswith("ac_at_1 is 0, the bar is 0.9 at least\n")


def test_eval_goes_on_after_a_bundle_that_cannot_be_read(make: Make, inside: Inside) -> None:
    bundle = make({"alert.json": "{", "expected.yaml": "verdict: healthy\n"})
    done = inside("eval", bundle, "--bar", "bundles=1")
    assert done.code == 0 and "small failed: alert.json:1" in done.err


async def test_an_mcp_client_reads_a_bundle_over_stdio(running: Running, tmp_path: Path) -> None:
    command = StdioServerParameters(
        command=str(FISHBONE), args=["mcp", "logs", "--bundle", str(SHIPPED / INCIDENT)], cwd=str(tmp_path)
    )
    async with Client(command) as client:
        offered = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"logs_list", "logs_search", "logs_match", "logs_templates", "logs_novel"} <= set(offered)
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in offered.values())
        found = await client.call_tool("logs_search", {"grep": "(?i)batch", "tail_n": 3})
        assert not found.is_error and 0 < len(found.structured_content["lines"]) <= 3
