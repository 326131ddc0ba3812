import io
from pathlib import Path

from rich.console import Console

from app.cli.screen import Progress, show_first_screen, show_report
from report.check import check
from report.markdown import markdown
from tests.report.sample import full_report, with_statement


def terminal() -> tuple[Console, io.StringIO]:
    written = io.StringIO()
    return Console(file=written, force_terminal=True, width=110, color_system=None), written


def pipe() -> tuple[Console, io.StringIO]:
    written = io.StringIO()
    return Console(file=written, force_terminal=False), written


def test_elsewhere_than_on_a_terminal_progress_is_one_plain_line_an_event():
    console, written = pipe()
    with Progress(console) as shown:
        shown.stage("plan")
        shown.agent_started("log")
        shown.tool_called("log", "logs_search")
        shown.agent_done("log", 3, 1)
        shown.stage("root_cause")

    assert written.getvalue().splitlines() == [
        "plan", "log: started", "log: logs_search", "log: 3 findings, 1 gap", "root cause",
    ]  # fmt: skip


def test_on_a_terminal_the_four_agents_stand_side_by_side():
    console, written = terminal()
    with Progress(console) as shown:
        for agent in ("log", "metric", "infra", "runbook"):
            shown.agent_started(agent)
        shown.tool_called("infra", "containers_inspect")
        shown.agent_done("metric", 1, 0)

    last = written.getvalue().splitlines()
    assert any(all(f"{agent} " in line for agent in ("log", "metric", "infra", "runbook")) for line in last)
    assert any("1 finding, 0 gaps" in line and "containers_inspect" in line for line in last)


def test_a_notice_of_the_graph_is_heard_and_an_unknown_one_let_go():
    console, written = pipe()
    with Progress(console) as shown:
        shown.notice("agent_done", "infra 2 0")
        shown.notice("agent_done", "infra many")
        shown.notice("whistle", "infra")
        shown.notice("stage", "report")

    assert written.getvalue().splitlines() == ["infra: 2 findings, 0 gaps", "report"]


def test_on_a_terminal_the_first_screen_is_rendered_without_marks_of_markup():
    console, written = terminal()
    show_first_screen(markdown(check(full_report())), console)

    shown = written.getvalue()
    assert "docker stats --no-stream orders_api" in shown
    assert "**" not in shown and "`" not in shown
    assert "Impact" not in shown


def test_elsewhere_the_first_screen_is_plain_text_with_commands_to_copy():
    console, written = pipe()
    show_first_screen(markdown(check(full_report())), console)

    lines = written.getvalue().splitlines()
    assert "   docker update --memory 1g orders_api" in lines
    assert lines[0] == "edge returns 502 for /orders"
    assert len(lines) <= 20


def test_no_control_sequence_of_a_log_reaches_the_terminal():
    for console, written in (terminal(), pipe()):
        show_first_screen(
            markdown(with_statement("\x1b]8;;http://evil\x07click\x1b]8;;\x07 \x1b[2J\x9b31m [red]x[/red]")), console
        )
        shown = written.getvalue()
        assert "\x1b]8" not in shown and "\x1b[2J" not in shown and "\x9b" not in shown
        assert "[red]x[/red]" in shown


def test_the_report_goes_to_standard_output_and_its_place_to_standard_error(tmp_path: Path, capsys):
    path = tmp_path / "report.md"
    path.write_text(markdown(check(full_report())), encoding="utf-8")
    show_report(path, tmp_path, ("log.9",))

    out, err = capsys.readouterr()
    assert out.startswith("edge returns 502")
    assert "1 call could not be answered" in err and str(path) in err
    show_report(path, tmp_path, whole=True)
    assert capsys.readouterr().out == path.read_text(encoding="utf-8")
