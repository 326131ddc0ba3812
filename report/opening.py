"""The first screen: what broke, since when, how sure and why, what to do now, what to check next."""

from typing import Final

from domain.diagnosis import Action, Hypothesis, Verdict
from report.escape import code, mixed, words
from report.moments import clock, span
from report.page import Page, by_risk, onset_of

STEPS: Final = 3  # actions on the first screen; the rest stands under Next and prevention
GUESSES: Final = 3
LINE: Final = 160  # characters of one of the two lines that say why
COARSE: Final = 60.0  # seconds; an onset known no better than this is `about`


def opening(page: Page) -> list[str]:
    """The lines above the first section; twenty at most."""
    return [
        f"# {words(page.report.incident.title, 120) or code(page.report.incident.id)}",
        "",
        _verdict(page),
        "",
        *_broke(page),
        f"- **{page.say['since']}:** {since(page)}",
        *_how_sure(page),
        "",
        *_do_now(page),
        f"**{page.say['check_next']}:** {_check_next(page)}",
    ]


def steps_shown(page: Page) -> int:
    """How many actions the first screen has room for; an open question needs a line more."""
    return STEPS if page.cause else STEPS - 1


def since(page: Page) -> str:
    """`10:16 UTC (6 min before the alert)`; the day is told where it is not clear."""
    fired, onset = page.report.incident.fired_at, onset_of(page)
    if onset is None:
        return page.say["alert_since" if _is_healthy(page) else "alert_only"].format(
            time=f"{fired:%Y-%m-%d} {clock(fired, fired)}"
        )
    began, resolution = onset
    told = f"{clock(began, fired)} UTC" + ("" if began.date() != fired.date() else f", {fired:%Y-%m-%d}")
    told = page.say["about"].format(time=told) if resolution >= COARSE else told
    seconds = (fired - began).total_seconds()
    if abs(seconds) < 1:
        return f"{told}, {page.say['with_alert']}"
    return f"{told} ({page.say['before' if seconds > 0 else 'after'].format(span=span(seconds))})"


def _is_healthy(page: Page) -> bool:
    return page.report.diagnosis.verdict is Verdict.HEALTHY


def _verdict(page: Page) -> str:
    diagnosis, cause = page.report.diagnosis, page.cause
    label = {
        Verdict.ROOT_CAUSE: page.say["cause"],
        Verdict.HEALTHY: page.say["healthy"],
        Verdict.UNDETERMINED: page.say["undetermined"],
    }[diagnosis.verdict]
    guess = page.guesses[:1]
    if cause is None:
        told = [f" · {page.say['best_guess']}: {code(h.fault, 80)} · {code(h.entity, 120)}" for h in guess]
        return f"**{label}**{''.join(told)}"
    return f"**{label}:** {code(cause.fault, 80)} · {code(cause.entity, 120)} · {_sure(page)}"


def _sure(page: Page) -> str:
    return page.say["sure"].format(percent=_percent(page))


def _percent(page: Page) -> int:
    return round(page.report.diagnosis.confidence * 100)


def _broke(page: Page) -> list[str]:
    if page.cause is None:
        guesses = page.guesses[:GUESSES]
        alerts = ", ".join(dict.fromkeys(code(a.name, 80) for a in page.report.incident.alerts[:4]))
        return [f"- **{page.say['alerting']}:** {alerts or '-'}", *_guesses(page, guesses)]
    label = page.say["checked" if _is_healthy(page) else "broke"]
    marks = page.marks(page.cause.chain[0].citations) if page.cause.chain else ""
    return [f"- **{label}:** {words(page.cause.summary, 300)}{marks}"]


def _guesses(page: Page, guesses: tuple[Hypothesis, ...]) -> list[str]:
    """What the best guess says, and the others on one line."""
    lines = [f"- **{page.say['guess']}:** {words(guess.summary, 240)}" for guess in guesses[:1]]
    others = "; ".join(f"{code(h.fault, 80)} · {code(h.entity, 120)}" for h in guesses[1:])
    return [*lines, f"- **{page.say['could_be']}:** {others}"] if others else lines


def _how_sure(page: Page) -> list[str]:
    """One or two lines: the confidence and why."""
    why = page.report.diagnosis.why
    if page.cause and _is_healthy(page) and page.cause.summary in why:
        why = page.say["why_healthy"]  # the line above said what was checked
    first, second = two_lines(why)
    sure = f"{_percent(page)}%. " if page.cause else ""
    lines = [f"- **{page.say['how_sure']}:** {sure}{words(first, 2 * LINE)}".rstrip()]
    return [*lines, f"  {words(second, 2 * LINE)}"] if second else lines


def two_lines(why: str) -> tuple[str, str]:
    """The reason in two lines: where it breaks, else at a sentence, else at a word."""
    given = [line.strip() for line in why.strip().splitlines() if line.strip()]
    if len(given) > 1:
        return given[0], " ".join(given[1:])
    text = given[0] if given else ""
    if len(text) <= LINE:
        return text, ""
    end = max(text.rfind(". ", 0, LINE) + 1, text.rfind("; ", 0, LINE) + 1)
    end = end if end > LINE // 3 else max(text.rfind(" ", 0, LINE), 0) or LINE
    return text[:end].strip(), text[end:].strip()


def _do_now(page: Page) -> list[str]:
    steps = by_risk(page.report.actions, "now")
    if not steps:
        calm = page.say["stay_calm" if _is_healthy(page) else "nothing_now"]
        return [f"**{page.say['do_now']}:** {calm}", ""]
    room = steps_shown(page)
    lines = [line for n, step in enumerate(steps[:room], 1) for line in _step(page, n, step)]
    rest = len(steps) - room
    more = f" {page.say['more_below'].format(count=rest)}" if rest > 0 else ""
    return [f"**{page.say['do_now']}**{more}", "", *lines, ""]


def _step(page: Page, number: int, action: Action) -> list[str]:
    told = f"{number}. {page.action(action)}"
    command = action.command.strip()
    if not command or "\n" in command:
        return [told]
    return [f"{told}  ", f"   {code(command, len(command))}"]


def _check_next(page: Page) -> str:
    told = page.report.diagnosis.next_check.strip()
    if told:
        return mixed(told, 400)
    reading = next((a for a in by_risk(page.report.actions, "next") if a.risk == "read"), None)
    if reading is None:
        return page.say["check_alert" if _is_healthy(page) else "no_check"]
    return words(reading.text, 200) + (f" {code(reading.command, 300)}" if reading.command.strip() else "")
