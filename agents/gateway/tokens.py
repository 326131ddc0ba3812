"""How many tokens a prompt will take: estimated from its letters, without a tokenizer and without network."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage

# Each class of characters with the tokens that one match takes: about what the tokenizers of 2024 to 2026 make of it.
_WORD: Final = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_DIGIT: Final = re.compile(r"[0-9]")
_WIDE: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_BLANK: Final = re.compile(r"\n+|[ \t]{2,}")
_MARK: Final = re.compile(r"[!-/:-@\[-`{-~]")
_OTHER: Final = re.compile(r"[^\x00-\u024f\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_LETTERS_A_TOKEN: Final = 6  # of a word; most English words are one token, long names several
_DIGIT_TOKENS: Final = 1.0  # many take each digit by itself, some up to three together
_WIDE_TOKENS: Final = 0.8  # a Chinese character: 0.6 with a Chinese tokenizer, 1 to 1.3 with an English one
_OTHER_TOKENS: Final = 0.7  # Cyrillic, Arabic, Thai, symbols
_MARK_TOKENS: Final = 0.7  # neighbours often share one
_A_MESSAGE: Final = 4  # its role and its ends
_A_TOOL: Final = 8  # what the server's template writes around it


def tokens_of(text: str) -> int:
    """An estimate that rather says too much."""
    words = sum(1 + (len(word) - 1) // _LETTERS_A_TOKEN for word in _WORD.findall(text))
    digits = _DIGIT_TOKENS * len(_DIGIT.findall(text))
    marks = _MARK_TOKENS * len(_MARK.findall(text)) + len(_BLANK.findall(text))
    foreign = _WIDE_TOKENS * len(_WIDE.findall(text)) + _OTHER_TOKENS * len(_OTHER.findall(text))
    return round(words + digits + marks + foreign)


def prompt_tokens(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]] = ()) -> int:
    """All that is sent: texts, earlier tool calls, and the tools that are offered."""
    told = sum(_A_MESSAGE + tokens_of(message.text) + _asked(message) for message in messages)
    return told + sum(_A_TOOL + tokens_of(json.dumps(tool, ensure_ascii=False)) for tool in tools)


def _asked(message: BaseMessage) -> int:
    if not isinstance(message, AIMessage):
        return 0
    valid = ((call["name"], json.dumps(call["args"], ensure_ascii=False)) for call in message.tool_calls)
    broken = ((call["name"] or "", call["args"] or "") for call in message.invalid_tool_calls)
    return sum(_A_TOOL + tokens_of(name) + tokens_of(args) for name, args in (*valid, *broken))
