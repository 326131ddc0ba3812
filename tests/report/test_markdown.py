import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from domain.diagnosis import Action, Diagnosis, Link, Verdict
from report.check import check
from report.escape import mixed, words
from report.markdown import first_screen, markdown
from report.mermaid import label
from report.plain import plain
from report.words import WORDS
from tests.report.sample import ACTIONS, CAUSE, EXIT, FINDINGS, OTHER, full_report, with_statement

HEADINGS = [
    "Impact", "Timeline", "Causal chain", "Evidence", "Citations", "Charts", "Ruled out", "Coverage and gaps",
    "Next and prevention", "Account per alert", "Run",
]  # fmt: skip
GFM = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def headings(text: str) -> list[str]:
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


def undetermined():
    report = full_report()
    return replace(report, diagnosis=replace(report.diagnosis, verdict=Verdict.UNDETERMINED))


def test_a_full_report_has_all_its_sections_in_order():
    assert headings(markdown(check(full_report()))) == HEADINGS


def test_the_first_twenty_lines_say_what_broke_since_when_how_sure_and_why_what_to_do_and_what_to_check():
    lines = markdown(check(full_report())).splitlines()[:20]
    top = "\n".join(lines)

    assert lines[0] == "# edge returns 502 for /orders"
    assert "needed more than its limit of 512 MiB. [1][2]" in top
    assert "10:16:05 UTC, 2026-03-04 (6 min before the alert)" in top
    assert "91%. Kernel log and exit code agree" in top and "Nothing contradicts it." in top
    assert "Whether orders_api stays below 1 GiB." in top
    assert "## " not in top.replace("## Impact", "")


def test_what_only_reads_is_done_first_and_its_command_stands_on_a_line_of_its_own():
    lines = markdown(check(full_report())).splitlines()[:20]
    reading, changing = (lines.index(f"   `{action.command}`") for action in (ACTIONS[1], ACTIONS[0]))

    assert reading < changing


@pytest.mark.parametrize("language", sorted(WORDS))
@pytest.mark.parametrize("make", [full_report, undetermined, lambda: with_statement("x" * 3000)])
def test_the_first_screen_never_has_more_than_twenty_lines_and_holds_every_part(language, make):
    report = make()
    many = (*report.actions, *(replace(ACTIONS[0], text=f"step {n}", command=f"run {n}") for n in range(9)))
    why = "One sentence. " * 40
    report = replace(report, actions=many, diagnosis=replace(report.diagnosis, why=why))
    lines = first_screen(markdown(report, language)).splitlines()
    top = "\n".join(lines)

    assert len(lines) <= 20
    for part in ("since", "how_sure", "do_now", "check_next"):
        assert WORDS[language][part] in top


def test_a_command_of_several_lines_is_a_block_below_and_never_cut():
    command = "for n in 1 2; do\n  echo '`x`'   # keep   blanks\ndone"
    report = replace(full_report(), actions=(replace(ACTIONS[0], command=command),))
    text = markdown(report)

    blocks = [token.content for token in GFM.parse(text) if token.type == "fence" and token.info == "sh"]
    assert blocks == [command + "\n"]


def test_a_long_command_of_one_line_is_whole():
    command = "docker run " + " ".join(f"--env A{n}='b  c'" for n in range(90))
    assert f"`{command}`" in markdown(replace(full_report(), actions=(replace(ACTIONS[0], command=command),)))


def test_an_onset_that_is_known_to_minutes_is_told_as_about():
    vague = tuple(replace(f, resolution_seconds=300.0) for f in FINDINGS[:2])
    report = full_report()
    cause = replace(CAUSE, findings=vague)
    text = markdown(replace(report, diagnosis=replace(report.diagnosis, hypotheses=(cause,))))

    assert "about 10:16:05 UTC" in text


def test_without_an_onset_the_alert_says_since_when():
    report = full_report()
    bare = replace(CAUSE, findings=())
    text = markdown(replace(report, diagnosis=replace(report.diagnosis, hypotheses=(bare,))))

    assert "2026-03-04 10:22 UTC, when the alert began" in text


def test_an_onset_on_another_day_is_told_with_its_day():
    early = tuple(replace(f, onset=f.onset - timedelta(days=2)) for f in FINDINGS[:2])
    report = full_report()
    text = markdown(replace(report, diagnosis=replace(report.diagnosis, hypotheses=(replace(CAUSE, findings=early),))))

    assert "2026-03-02 10:16:05 UTC (2 d before the alert)" in text


def test_an_undetermined_report_lists_what_it_could_be_and_draws_no_chain():
    text = markdown(undetermined())

    assert "**Undetermined** · best guess: `memory.oom_kill`" in first_screen(text)
    assert "`change.bad_deploy`" in first_screen(text)
    assert "mermaid" not in text


def test_a_healthy_report_says_what_was_checked_and_sends_nobody_to_work():
    healthy = Link("service:edge", "none.recovered", "edge answers again since 10:25", (EXIT,))
    top = first_screen(
        markdown(replace(full_report(), diagnosis=Diagnosis(Verdict.HEALTHY, (), 0.8, healthy), actions=()))
    )

    assert "**Nothing is wrong:** `none.recovered` · `service:edge` · 80% sure" in top
    assert "**What was checked:** edge answers again since 10:25 [1]" in top
    assert "Nothing to do" in top and "Whether the alert ends by itself." in top


def test_a_hypothesis_that_lost_is_told_once_with_its_reason():
    report, other = full_report(), replace(OTHER, contradicts=())
    diagnosis = replace(
        report.diagnosis, hypotheses=(CAUSE, other), ruled_out=(f"{other.fault} of {other.entity}: weaker evidence",)
    )
    text = markdown(check(replace(report, diagnosis=diagnosis)))
    told = text.partition("## Ruled out")[2].partition("\n## ")[0].strip().splitlines()

    assert told == [f"- `change.bad_deploy` · `change:9f31c2a` (score 1.50; weaker evidence): {OTHER.summary}"]


def test_the_same_lines_told_of_two_things_are_one_moment():
    report = full_report()
    again = replace(report.evidence[1].findings[0], entity="host:edge-1")
    evidence = (*report.evidence, replace(report.evidence[1], findings=(again,)))
    text = markdown(check(replace(report, evidence=evidence)))

    assert text.partition("## Timeline")[2].partition("\n## ")[0].count(again.statement) == 1


def test_an_all_clear_does_not_say_twice_what_was_checked():
    report = full_report()
    why = f"Checked and well: {CAUSE.summary}"
    link = Link(CAUSE.entity, "none.healthy", CAUSE.summary, CAUSE.chain[0].citations)
    diagnosis = replace(report.diagnosis, verdict=Verdict.HEALTHY, healthy=link, why=why)
    text = markdown(check(replace(report, diagnosis=diagnosis)))

    assert why not in text and "nothing that was found speaks strongly for a fault" in first_screen(text)


def test_every_number_in_the_text_has_its_citation_in_the_list():
    text = markdown(check(full_report()))
    used = {int(n) for n in re.findall(r"\[(\d+)\]", text)}
    listed = {int(n) for n in re.findall(r"^(\d+)\. ", text.split("## Citations")[1].split("## ")[0], re.MULTILINE)}

    assert used == listed == {1, 2, 3, 4}


def test_what_could_not_be_verified_is_told_and_marked_as_such():
    text = markdown(replace(full_report(), unverified=("service:edge: it melted",)))

    assert headings(text)[5] == "Not verified"
    assert "it melted" in text


def test_an_empty_index_of_runbooks_is_said():
    assert "No runbook fits" in markdown(replace(full_report(), passages=()))


def test_two_renderings_are_equal_bytes_and_only_the_run_differs_between_replays():
    report = check(full_report())
    again = replace(report, run=replace(report.run, investigation="inv-2", seconds=7.0))

    assert markdown(report) == markdown(report)
    assert markdown(report).split("## Run")[0] == markdown(again).split("## Run")[0]


def test_the_languages_have_the_same_words_with_the_same_places():
    places = {
        language: {key: sorted(re.findall(r"\{(\w+)\}", told)) for key, told in words.items()}
        for language, words in WORDS.items()
    }

    assert places["en"] == places["zh"]


def test_a_report_in_chinese_has_chinese_headings_and_the_same_facts():
    text = markdown(full_report(), "zh_CN.UTF-8")

    assert "## 因果链" in text and "根本原因" in text
    assert "docker stats --no-stream orders_api" in text
    assert markdown(full_report(), "fr") == markdown(full_report(), "en")


def test_plain_text_reads_like_the_markdown_without_its_marks():
    told = "a_b `x\\*y` *not* <i> 2. http://x.test"
    report = full_report()
    report = replace(report, diagnosis=replace(report.diagnosis, hypotheses=(replace(CAUSE, summary=told), OTHER)))

    assert "What broke: a_b `x\\*y` *not* <i> 2. http://x.test" in plain(first_screen(markdown(report)))


# --- injected text ----------------------------------------------------------------------------------------------

ATTACKS = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- hidden -->", "&lt;b&gt; &#60;b&#62;",
    "[click](http://evil.test)", "![pixel](http://evil.test/p.png)", "[1]: http://evil.test", "<http://evil.test>",
    "`code` and ``more``", "```\n# out of the fence\n```", "~~~\nx\n~~~", "# heading", "- item", "1. item", "> quote",
    "---", "***", "| a | b |\n| --- | --- |", "a\n\n# heading\n", "a\r\n## heading", "*bold* _it_ ~~gone~~", "\\",
    "\\`x\\`", "\x1b[31mred\x1b[0m", "\x1b]8;;http://evil.test\x07x\x1b]8;;\x07", "\x9b2J", "x\x07\x08\x00",
    "\u202eevil\u2066", "\u200b\u200bhidden", "%%{init: {}}%%", '"]; click n1 "javascript:alert(1)"', "end",
    "    indented", "\tcode", "$x$ $$y$$", "a\u2028# heading", "a\x0b# heading", "]]>", "==x==", "setext\n=====",
    "x\ud83d", "{{ template }}", "+ x", "1) x", "*", "_", "-", "+", "=", "1.", "(c)", "\\\n", "x  \n",
]  # fmt: skip
PIECES = st.sampled_from([*ATTACKS, *"`*_[]()<>#|~\\\n\r!&;:\"'{}% ", "x", "http://", "  ", "\n\n"])
ATTACK = st.lists(PIECES, min_size=1, max_size=8).map("".join).filter(words)
ALLOWED = {
    "text", "code_inline", "strong_open", "strong_close", "softbreak", "hardbreak", "image",
}  # fmt: skip
HIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def shape(text: str) -> tuple[list[str], list[str]]:
    """The block structure of the page, and what stands inline in it."""
    tokens = GFM.parse(text)
    blocks = [f"{token.type} {token.info}".strip() for token in tokens]
    inner = [child.type for token in tokens for child in token.children or []]
    images = [child.attrs["src"] for token in tokens for child in token.children or [] if child.type == "image"]
    assert all(str(src).startswith("charts/") for src in images)
    return blocks, inner


def assert_inert(attack: str) -> None:
    """The page has the same skeleton as with a harmless word, and nothing inline that we do not write ourselves."""
    text = markdown(with_statement(attack))
    blocks, inner = shape(text)
    calm_blocks, calm_inner = shape(markdown(with_statement("calm")))

    assert set(inner) <= ALLOWED
    assert headings(text) == headings(markdown(with_statement("calm")))
    assert blocks == calm_blocks
    assert inner.count("strong_open") == calm_inner.count("strong_open")
    assert not HIDDEN.search(text)


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_no_known_attack_acts_anywhere_in_the_page(attack):
    assert_inert(attack)


@settings(max_examples=60)
@given(ATTACK)
@example("`" * 7 + "\n" + "`" * 7)
@example("<!-- a bar inside a code span ends a cell -->| a |")
def test_no_mix_of_attacks_acts_anywhere_in_the_page(attack):
    assert_inert(attack)


@settings(max_examples=60)
@given(st.text(min_size=1, max_size=40).filter(words))
def test_no_text_at_all_acts_anywhere_in_the_page(text):
    assert_inert(text)


def test_an_address_in_evidence_is_no_link_for_readers_that_find_links_by_themselves():
    text = markdown(with_statement("see http://evil.test and www.evil.test"))
    outside = re.sub(r"(`+).+?\1", "", text, flags=re.DOTALL)

    assert "http://" not in outside and "www." not in outside
    assert "see http://evil.test and www.evil.test" in plain(outside)


@given(st.text(max_size=80))
def test_a_label_of_the_flowchart_holds_nothing_that_mermaid_or_html_acts_on(text):
    inner = label(text, text).replace("<br/>", "")

    assert not re.search(r"[\"<>`{}\[\]|\\&%\n]", inner)
    assert not re.search(r"#(?!\d+;)", inner)


def test_a_quote_is_shown_as_it_is_written_in_a_fence_that_it_cannot_close():
    text = markdown(with_statement("it says ``rm -rf`` <b>"))

    assert "```it says ``rm -rf`` <b>```" in text


def test_an_action_of_an_unknown_risk_comes_last_and_its_risk_is_plain_words():
    odd = Action("now", "odd", risk="<b>")
    lines = first_screen(markdown(replace(full_report(), actions=(odd, *ACTIONS[:1])))).splitlines()

    assert [line for line in lines if line.startswith("2. odd (&lt;b&gt;)")]


def test_a_colon_that_makes_no_address_stays_as_it_is():
    assert words("2 of 3 answered with data: none") == "2 of 3 answered with data: none"


def test_a_command_between_backticks_in_the_next_check_is_code():
    told = "Whether the disk is full: `df -h '/var/*'` on `db_1`."
    assert mixed(told) == "Whether the disk is full: `df -h '/var/*'` on `db_1`."
    assert mixed("a `b") == "a \\`b"


@given(ATTACK)
def test_code_in_the_next_check_cannot_be_left(attack):
    blocks, inner = shape(f"- {mixed(attack)}")

    assert set(inner) <= {"text", "code_inline"}
    assert blocks[2:4] == ["paragraph_open", "inline"] and len(blocks) == 7


def test_what_nothing_connects_with_the_alert_is_no_guess() -> None:
    loose = replace(undetermined(), diagnosis=replace(undetermined().diagnosis, hypotheses=tuple(
        replace(each, terms={"linked": 0.0}) for each in undetermined().diagnosis.hypotheses)))  # fmt: skip
    assert (
        "guess" not in first_screen(markdown(loose)).lower()
        and "guess" in first_screen(markdown(undetermined())).lower()
    )
