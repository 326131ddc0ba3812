"""The command line: maps a command to its module and imports that on use, so that `--help` is quick."""

import errno
import importlib.metadata
import logging
import sys
from pathlib import Path
from typing import Annotated

import typer

from domain.errors import BadAlert, BadBundle, BadConfiguration, FishboneError

app = typer.Typer(
    name="fishbone",
    help="An alert comes in, four specialists gather evidence, a root cause with checked citations comes out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
runbooks = typer.Typer(help="The runbooks: index, search and check them.", no_args_is_help=True)
incidents = typer.Typer(
    help="The incidents that were investigated.", no_args_is_help=False, invoke_without_command=True
)
app.add_typer(runbooks, name="runbooks")
silences = typer.Typer(help="Alerts that nobody wants to hear of for a while.", invoke_without_command=True)
app.add_typer(incidents, name="incidents")
app.add_typer(silences, name="silences")


def _version(asked: bool) -> None:
    if asked:
        print(f"fishbone {importlib.metadata.version('fishbone')}")
        raise typer.Exit


@app.callback()
def base(
    version: Annotated[  # its callback acts
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """An alert comes in, four specialists gather evidence, a root cause with checked citations comes out."""


Out = Annotated[Path | None, typer.Option("--out", help="Write the report, its charts and the flight recording there.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what --out holds.")]


@app.command()
def replay(
    bundle: Annotated[
        str, typer.Argument(help="A recorded incident: a folder, a .tar.zst, or the name of a shipped one.")
    ],
    out: Out = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json instead of the first screen.")] = False,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Ask the evidence files again, also where there is a recording.")
    ] = False,
    model: Annotated[
        str, typer.Option("--model", help="A second pass with a model: fast, deep, or the name of one that is set.")
    ] = "",
    contract: Annotated[
        str, typer.Option("--contract", help="Use the prompts of this recording, or of this version, for the model.")
    ] = "",
) -> None:
    """Diagnose a recorded incident, with no model and no network; with --model, by a model too."""
    from app.cli.replay import Asked, run_replay

    run_replay(bundle, Asked(out, force, as_json, evidence, model, contract))


@app.command("eval")
def evaluate(
    folders: Annotated[list[Path], typer.Argument(help="Folders of bundles with an expected.yaml each.")],
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all grades there.")] = None,
    chart: Annotated[
        Path | None, typer.Option("--chart", help="Draw the sets and the reliability curve there, as SVG.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option("--compare", help="Tell case by case what differs from what --json wrote there.")
    ] = None,
    bar: Annotated[
        list[str] | None,
        typer.Option("--bar", help="KEY=VALUE: exit 1 when that number comes out worse; may be repeated."),
    ] = None,
    families: Annotated[
        bool, typer.Option("--families", help="Show for each family of faults what was told instead.")
    ] = False,
    model: Annotated[
        str, typer.Option("--model", help="A second pass with this model: fast, deep, or the name of one that is set.")
    ] = "",
    against: Annotated[str, typer.Option("--against", help="What the model is held against: offline.")] = "offline",
) -> None:
    """Replay many incidents and grade the reports against their ground truth."""
    if model:
        from app.cli.eval_models import run_eval_models

        if chart or compare or bar or families:
            raise BadConfiguration("--model goes with --against and --json alone; leave the other options out")
        run_eval_models(folders, model, against, json_file)
        return
    from app.cli.eval import Wanted, run_eval

    run_eval(folders, Wanted(json_file, chart, compare, bar or [], families))


@app.command()
def report(
    incident: Annotated[str, typer.Argument(help="The incident's id, as `fishbone incidents` lists it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print report.json instead of markdown.")] = False,
) -> None:
    """Print the latest report of an incident."""
    from app.cli.incidents import run_report

    run_report(incident, as_json=as_json)


@app.command()
def mcp(
    name: Annotated[
        str,
        typer.Argument(
            help="logs, metrics, traces, topology, containers, host, network, changes, runbooks, or all; "
            "`pin NAME` prints the pin of a foreign server."
        ),
    ],
    other: Annotated[str, typer.Argument(help="The foreign server, for pin.")] = "",
    bundle: Annotated[
        Path | None, typer.Option("--bundle", help="The recorded incident to serve, in the place of this machine.")
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Streamable HTTP instead of stdio.")] = False,
    host: Annotated[str, typer.Option("--host", help="Beyond loopback FISHBONE_MCP_TOKEN is needed.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 8765,
) -> None:
    """Serve evidence of this machine, or of a recorded incident, to any MCP client."""
    from app.cli.mcp import Over, run_mcp

    run_mcp(name, bundle, Over(http, host, port), other)


@app.command()
def serve(
    host: Annotated[str, typer.Option("--host", help="Beyond loopback FISHBONE_TOKEN is needed.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535)] = 8080,
    workers: Annotated[
        int, typer.Option("--workers", min=0, max=64, help="Worker processes beside it, for a single machine.")
    ] = 0,
) -> None:
    """Take alerts by webhook and show incidents, until told to stop (SIGTERM)."""
    from app.cli.serve import run

    run(host, port, workers)


@app.command()
def worker(
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=64, help="How many investigations side by side.")
    ] = 2,
) -> None:
    """Investigate the incidents that wait in the queue, until told to stop (SIGTERM)."""
    from app.cli.worker import run

    run(concurrency)


@app.command()
def record(
    out: Annotated[Path, typer.Option("--out", help="Write the bundle there.")],
    since: Annotated[
        str, typer.Option("--since", help="How far back logs, metrics and events go: 15m, 1h, 2d.")
    ] = "1h",
    about: Annotated[
        list[str] | None,
        typer.Option("--about", help="What is in question: a process, container, service or path; may be repeated."),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="The symptom, in a few words.")] = "",
    alert: Annotated[Path | None, typer.Option("--alert", help="A webhook body to record with it.")] = None,
    incident: Annotated[
        str, typer.Option("--incident", help="Take the bundle from this finished investigation instead.")
    ] = "",
    scrub: Annotated[
        list[str] | None, typer.Option("--scrub", help="A further name that nobody should read; may be repeated.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what --out holds.")] = False,
) -> None:
    """Take a bundle of this machine now: what an investigation would see, without secrets and names."""
    from app.cli.record import Options, run_record

    run_record(Options(out, since, tuple(about or ()), title, alert, incident, tuple(scrub or ()), force))


@app.command()
def doctor() -> None:
    """Say of every part whether it is ok, degraded (and why) or off."""
    from app.cli.doctor import run_doctor

    run_doctor()


@incidents.callback()
def incidents_list(context: typer.Context) -> None:
    """List the incidents, the latest first."""
    if context.invoked_subcommand is None:
        from app.cli.incidents import run_list

        run_list()


@incidents.command("list")
def incidents_list_command() -> None:
    """List the incidents, the latest first."""
    from app.cli.incidents import run_list

    run_list()


@incidents.command("show")
def incidents_show(incident: Annotated[str, typer.Argument(help="The incident's id.")]) -> None:
    """Show one incident: its alerts and its investigations."""
    from app.cli.incidents import run_show

    run_show(incident)


@incidents.command("retry")
def incidents_retry(incident: Annotated[str, typer.Argument(help="The incident's id.")]) -> None:
    """Try an incident again that was set aside because it crashed its workers."""
    from app.cli.worker import retry

    retry(incident)


@silences.callback()
def silences_list(context: typer.Context) -> None:
    """List the silences."""
    if context.invoked_subcommand is None:
        from app.cli.silences import run_list

        run_list()


@silences.command("list")
def silences_list_command() -> None:
    """List the silences."""
    from app.cli.silences import run_list

    run_list()


@silences.command("add")
def silences_add(
    matchers: Annotated[list[str], typer.Argument(help="label=value, !=, =~ or !~; alertname, source, severity too.")],
    lasts: Annotated[str, typer.Option("--for", help="How long: 30m, 2h, 1d.")] = "2h",
    comment: Annotated[str, typer.Option("--comment", help="Why.")] = "",
) -> None:
    """Silence alerts for which all matchers hold."""
    from app.cli.silences import run_add

    run_add(matchers, lasts, comment)


@silences.command("remove")
def silences_remove(number: Annotated[int, typer.Argument(help="The silence's id.")]) -> None:
    """End a silence now."""
    from app.cli.silences import run_remove

    run_remove(number)


@runbooks.command("index")
def runbooks_index() -> None:
    """Bring the index in line with the runbook folders."""
    from app.cli.runbooks import index

    index()


@runbooks.command("search")
def runbooks_search(
    query: Annotated[str, typer.Argument(help="An alert's name, or a question in English or Chinese.")],
    top: Annotated[int, typer.Option("--top", min=1, max=20, help="How many passages.")] = 5,
) -> None:
    """Find the runbook passages that answer a query."""
    from app.cli.runbooks import search

    search(query, top)


@runbooks.command("check")
def runbooks_check() -> None:
    """Check every runbook: faults, signatures, examples, healthy twins."""
    from app.cli.runbooks import check

    check()


def main() -> None:
    """Run the command; a mistake of the user's is one clear line and exit 2, a failure of ours exit 1."""
    # Set before any part is built: what the report says as a gap need not be said again on the terminal.
    logging.basicConfig(stream=sys.stderr, level=logging.ERROR, format="%(levelname)s %(name)s: %(message)s")
    try:
        app(standalone_mode=True)
    except (BadBundle, BadAlert, BadConfiguration) as exc:
        print(f"fishbone: {exc}", file=sys.stderr)
        raise SystemExit(2) from exc
    except FishboneError as exc:
        print(f"fishbone: {exc}", file=sys.stderr)
        raise SystemExit(1) from exc
    except OSError as exc:
        if exc.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        print(f"fishbone: {exc.strerror}: make room, or name another folder (--out, FISHBONE_DATA)", file=sys.stderr)
        raise SystemExit(1) from exc
    except KeyboardInterrupt:
        raise SystemExit(130) from None
