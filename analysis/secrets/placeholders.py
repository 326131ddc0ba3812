"""The form of a redaction placeholder, for those who write, protect or recognise one."""

import re

PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9_]{1,24}:[0-9a-f]{4}\]")


def placeholder(kind: str, digits: str) -> str:
    """The text that stands where a secret stood."""
    return f"[redacted:{kind}:{digits}]"


def is_placeholder(text: str) -> bool:
    """Whether the whole text is one placeholder."""
    return text.startswith("[redacted:") and PLACEHOLDER.fullmatch(text) is not None


MASK = "\U000f0000-\U0010ffff"
"""Characters for private use: while a text is redacted, one of them stands for each placeholder in it."""

_MASKABLE = re.compile(rf"{PLACEHOLDER.pattern}|[{MASK}]")
_MASKED = re.compile(f"[{MASK}]")


def is_masked(text: str) -> bool:
    """Whether the whole text is one masked placeholder."""
    return len(text) == 1 and text >= MASK[0]


class Masks:
    """Hides placeholders from the patterns, so that no pattern matches inside one or across it."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._marks: dict[str, str] = {}

    def hide(self, text: str) -> str:
        """The text with one character for each placeholder."""
        if text.isascii() and "[redacted:" not in text:
            return text
        return _MASKABLE.sub(lambda match: self.mark(match[0]), text)

    def mark(self, placeholder_text: str) -> str:
        """The character that stands for this placeholder."""
        mark = self._marks.get(placeholder_text)
        if mark is None:
            mark = chr(ord(MASK[0]) + len(self._texts))
            self._texts.append(placeholder_text)
            self._marks[placeholder_text] = mark
        return mark

    def show(self, text: str) -> str:
        """The text with its placeholders back."""
        return _MASKED.sub(lambda match: self._texts[ord(match[0]) - ord(MASK[0])], text) if self._texts else text
