"""Makes strings fit for Postgres, which takes neither NUL nor lone surrogates."""

import json

from domain.codec import to_plain


def storable(text: str) -> str:
    """The text with what no column takes replaced by U+FFFD."""
    if text.isascii() and "\0" not in text:  # nearly all of them
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def storable_json(value: object) -> str:
    """JSON text in plain ASCII: NUL and lone surrogates stand as escapes and come back as they were."""
    return json.dumps(to_plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)
