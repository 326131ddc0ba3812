"""The words, letters and numbers by which programs state how bad a line is."""

LEVELS = ("debug", "info", "warning", "error", "fatal")

_SPELLINGS = {
    "debug": "trace debug debu dbg trc trac verbose fine finer finest debug1 debug2 debug3 debug4 debug5 silly",
    "info": "info inf information informational notice note log normal config system ok success",
    "warning": "warning warn wrn",
    "error": "error err erro severe fail failed failure",
    "fatal": "fatal fata ftl critical crit crt panic pani pnc emerg emergency alert dpanic",
}
WORDS = {word: level for level, words in _SPELLINGS.items() for word in words.split()}

LETTERS = {
    "V": "debug", "D": "debug", "T": "debug", "I": "info", "N": "info", "W": "warning", "E": "error", "F": "fatal",
    "C": "fatal",
}  # fmt: skip
MARKS = {".": "debug", "-": "info", "*": "info", "#": "warning"}  # Redis
SYSLOG = ("fatal", "fatal", "fatal", "error", "warning", "info", "info", "debug")
PINO = {10: "debug", 20: "debug", 30: "info", 40: "warning", 50: "error", 60: "fatal"}


def of_word(word: str) -> str | None:
    """The level that a word means, in any case."""
    return WORDS.get(word.lower())


def of_number(number: int) -> str | None:
    """The level of a JSON number: syslog's 0 to 7, or pino's and bunyan's tens."""
    if 0 <= number <= 7:
        return SYSLOG[number]
    return PINO.get(number // 10 * 10) if 10 <= number <= 69 else None


def of_value(value: object) -> str | None:
    """The level that a field holds, as a word, a letter or a number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return of_number(int(value))
    text = str(value).strip()
    if text.isdigit() and len(text) <= 3:
        return of_number(int(text))
    return of_word(text) or (LETTERS.get(text.upper()) if len(text) == 1 else None) or of_word(text.split(".")[-1])
