"""JSON pointers (RFC 6901) into stored results."""

from domain.codec import Json


def resolve(data: Json, pointer: str) -> Json:
    """What stands at the pointer. Raises LookupError where nothing does."""
    if pointer and not pointer.startswith("/"):
        raise LookupError(f"{pointer!r} is no JSON pointer")
    here = data
    for token in pointer.split("/")[1:]:
        here = _step(here, token.replace("~1", "/").replace("~0", "~"))
    return here


def same(left: Json, right: Json) -> bool:
    """Equality of JSON values: true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


def _step(here: Json, token: str) -> Json:
    if isinstance(here, dict):
        return here[token]
    if isinstance(here, list) and token.isascii() and token.isdigit() and str(int(token)) == token:
        return here[int(token)]
    raise LookupError(f"nothing at {token!r}")
