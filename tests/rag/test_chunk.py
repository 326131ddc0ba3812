"""Runbooks cut into passages."""

from domain.runbook import Runbook
from rag.chunk import SIZE, card, chunks, sections

BODY = """# Title

## Meaning

First.

Second.

## Diagnosis

### Step one

```shell
# not a heading
df -h

du -x
```

| a | b |
| - | - |
| 1 | 2 |
"""


def test_text_is_cut_at_headings_and_keeps_their_path():
    assert [path for path, _ in sections(BODY)] == [("Meaning",), ("Diagnosis", "Step one")]
    assert next(sections(BODY))[1] == "First.\n\nSecond."


def test_a_code_block_and_a_table_stay_whole():
    text = list(sections(BODY))[1][1]
    assert "```shell\n# not a heading\ndf -h\n\ndu -x\n```" in text and "| 1 | 2 |" in text


def test_a_long_section_is_cut_between_blocks():
    code = "```\n" + "x\n" * SIZE + "```"
    pieces = [text for _, text in sections(f"## Meaning\n\n{'a ' * 600}\n\n{'b ' * 600}\n\n{code}\n")]
    assert [text[0] for text in pieces] == ["a", "b", "`"] and pieces[2] == code


def test_the_card_says_what_it_is_for_without_braces():
    runbook = Runbook(
        "disk-full", "No space.", "disk.full", "disk", "{entity} is full[[ at {mount}]]",
        alerts=("HostOutOfDiskSpace", "(?i).*disk.*"), body=BODY,
    )  # fmt: skip
    assert card(runbook).splitlines() == [
        "No space.", "is full", "disk.full disk full", "HostOutOfDiskSpace", "host out of disk space",
    ]  # fmt: skip
    assert [each.heading for each in chunks(runbook)] == [
        "disk full > What it is", "disk full > Meaning", "disk full > Diagnosis > Step one",
    ]  # fmt: skip


def test_a_runbook_without_text_has_a_card_all_the_same():
    assert len(chunks(Runbook("a", "d", "disk.full", "disk", "s"))) == 1
