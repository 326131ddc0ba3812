"""Takes secrets out of everything a tool returns, before it is stored, shown or sent anywhere."""

import hmac
from typing import Any

from analysis.secrets.forms import Rule, Span
from analysis.secrets.keys import secret_kind
from analysis.secrets.patterns import RULES
from analysis.secrets.pem import key_spans, may_hold_key
from analysis.secrets.placeholders import PLACEHOLDER, Masks, is_placeholder, placeholder

_PASSES = 4  # a placeholder can bring out another form; two passes are usual, four the bound
_NAMES = ("name", "key", "Name", "Key")
_VALUES = ("value", "Value")


_HINTS = sorted({hint for rule in RULES for hint in rule.hints})


class Redactor:
    """Replaces secrets by placeholders that are equal for equal secrets under one key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def redact(self, text: str) -> str:
        """The text without secrets; its lines keep their number and order."""
        rules = _candidates(text)
        if not rules and not may_hold_key(text):
            return text
        masks = Masks()
        hidden = masks.hide(text)
        for _ in range(_PASSES):
            before, hidden = hidden, self._once(hidden, rules, masks)
            if hidden == before:
                break
        return masks.show(hidden)

    def redact_json(self, value: Any) -> Any:
        """Plain JSON without secrets: strings as text, values under a secret's name whole, keys never."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, list):
            return [self._item(item) for item in value]
        if isinstance(value, dict):
            return self._object(value)
        return value

    def placeholder(self, kind: str, secret: str) -> str:
        """What stands for this secret."""
        return placeholder(kind, hmac.new(self._key, secret.encode("utf-8", "surrogatepass"), "sha256").hexdigest()[:4])

    def _once(self, text: str, rules: list[Rule], masks: Masks) -> str:
        text = self._replace(text, [(start, end, "private_key") for start, end in key_spans(text)], masks)
        for rule in rules:
            spans = [span for match in rule.pattern.finditer(text) for span in rule.find(match, text)]
            text = self._replace(text, spans, masks)
        return text

    def _replace(self, text: str, spans: list[Span], masks: Masks) -> str:
        if not spans:
            return text
        parts, position = [], 0
        for start, end, kind in spans:
            parts.append(text[position:start])
            parts.append(masks.hide(self._secret(kind, masks.show(text[start:end]))))
            position = end
        parts.append(text[position:])
        return "".join(parts)

    def _secret(self, kind: str, secret: str) -> str:
        """A placeholder; of a connection string only the password goes, its host tells what depends on what."""
        if kind != "dsn":
            return self.placeholder(kind, secret)
        inner = self.redact(secret)
        plain_url = "://" in secret and "@" not in secret
        return inner if inner != secret or plain_url or PLACEHOLDER.search(secret) else self.placeholder(kind, secret)

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        if value.get("kind") == "Secret":
            return {
                k: self._whole("secret", v) if k in ("data", "stringData") else self.redact_json(v)
                for k, v in value.items()
            }
        named = next((secret_kind(value[name]) for name in _NAMES if isinstance(value.get(name), str)), "")
        return {k: self._member(named if k in _VALUES else "", k, v) for k, v in value.items()}

    def _member(self, named: str, key: str, value: Any) -> Any:
        kind = named or secret_kind(key)
        if kind and isinstance(value, str | list | dict) and value:
            return self._whole(kind, value)
        if kind and isinstance(value, int | float) and not isinstance(value, bool) and kind == "password":
            return self.placeholder(kind, str(value))
        return self.redact_json(value)

    def _whole(self, kind: str, value: Any) -> Any:
        """Every string below a secret's name; a nested object keeps its own names."""
        if isinstance(value, str):
            return value if not value or is_placeholder(value) else self._secret(kind, value)
        if isinstance(value, list):
            return [self._whole(kind, item) for item in value]
        if isinstance(value, dict):
            return {key: self._whole(kind, item) for key, item in value.items()}
        return value

    def _item(self, item: Any) -> Any:
        """An entry of a list: NAME=value is judged by its name."""
        if not isinstance(item, str):
            return self.redact_json(item)
        name, equals, value = item.partition("=")
        kind = secret_kind(name) if equals and name.isidentifier() else ""
        if not kind or not value:
            return self.redact(item)
        return f"{name}={self._whole(kind, value)}"


def _candidates(text: str) -> list[Rule]:
    """The rules that can match at all: searching for their literals is much faster than matching."""
    lowered = text.lower()
    present = {hint for hint in _HINTS if hint in lowered}
    return [rule for rule in RULES if not present.isdisjoint(rule.hints)] if present else []
