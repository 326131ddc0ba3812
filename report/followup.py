"""Next and prevention, the account per alert, and the run."""

from typing import Final

from domain.diagnosis import Action, AlertAccount
from report.escape import block, cell, code, words
from report.opening import steps_shown
from report.page import Page, by_risk

HASH: Final = 16  # characters of a hash that tell it from others
WHENS: Final = (("now", "now"), ("next", "later"), ("prevention", "prevention"))


def actions(page: Page) -> list[str]:
    """What the first screen had no room for, what to do next, and how to prevent it, each with its runbook."""
    lines = [line for when, title in WHENS for line in _group(page, when, title)]
    if not page.report.actions:
        lines = [page.say["no_actions"], ""]
    if not page.report.passages:
        return [*lines, page.say["no_runbook"]]
    found = ", ".join(code(name, 80) for name in page.report.passages)
    return [*lines, f"{page.say['runbooks_found']}: {found}"]


def accounts(page: Page) -> list[str]:
    """One row per alert: explained, consistent or not explained, and by what."""
    names = {alert.fingerprint: alert.name for alert in page.report.incident.alerts}
    rows = [_account(page, names, account) for account in page.report.diagnosis.alerts]
    head = f"| {page.say['one_alert']} | {page.say['account']} | {page.say['by']} |"
    return [head, "| --- | --- | --- |", *rows] if rows else [page.say["no_accounts"]]


def run(page: Page) -> list[str]:
    """The only section with clocks, ids and durations."""
    run, say = page.report.run, page.say
    checks = run.checks
    counted = say["checks_line"].format(
        statements=checks.statements, cited=checks.cited, verified=checks.verified, struck=checks.struck
    )
    named = [say["by_analyst"] if model == "analyst" else code(model, 80) for model in run.models]
    models = ", ".join(named) or say["none"]
    return [
        f"- {say['investigation']}: {code(run.investigation, 80)}",
        f"- {say['started']}: {words(run.started_at, 40)}, {say['took'].format(seconds=f'{run.seconds:.1f}')}",
        f"- {say['models']}: {models} · {say['tokens']}: {run.tokens} · {say['cost']}: {run.cost:.4f}",
        f"- {say['calls_made']}: {run.tool_calls}",
        f"- {say['checks']}: {counted}",
        f"- {say['contract']}: {code(run.contract[:HASH])} · {say['fingerprint']}: {code(run.fingerprint[:HASH])}",
    ]


def _group(page: Page, when: str, title: str) -> list[str]:
    chosen = by_risk(page.report.actions, when)
    if when == "now":
        chosen = [a for n, a in enumerate(chosen) if n >= steps_shown(page) or "\n" in a.command.strip()]
    lines = [line for n, action in enumerate(chosen, 1) for line in _action(page, n, action)]
    return [f"**{page.say[title]}**", "", *lines, ""] if lines else []


def _action(page: Page, number: int, action: Action) -> list[str]:
    runbook = f" · {page.say['runbook']} {code(action.runbook, 80)}" if action.runbook else ""
    told = f"{number}. {page.action(action)}{runbook}"
    command = action.command.strip()
    if not command:
        return [told]
    if "\n" in command:
        return [told, "", *(f"   {line}" for line in block(command, "sh").split("\n"))]
    return [f"{told}  ", f"   {code(command, len(command))}"]


def _account(page: Page, names: dict[str, str], account: AlertAccount) -> str:
    alert = cell(names.get(account.fingerprint) or account.fingerprint, 80)
    return f"| {alert} | {page.say.get(account.account, cell(account.account, 30))} | {cell(account.by, 160)} |"
