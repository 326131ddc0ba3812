"""What a diff is likely to do, and whether that is what the symptom speaks of."""

import re
from dataclasses import dataclass
from typing import Final

# Of each kind of harm the words in which alerts and logs complain of it.
HARMS: Final[dict[str, re.Pattern[str]]] = {
    "leak": re.compile(
        r"(?i)pool|exhaust|acquir|too many (?:open|clients|connections)|descriptor|\bfds?\b|memory|\boom|leak|deadline|"
        r"goroutine|thread|timed? ?out|hang|hung|stuck|starv"
    ),
    "load": re.compile(
        r"(?i)latenc|slow|\bcpu|satur|throttl|rate.?limit|too many requests|\b429\b|capacity|queue|overload|\bshed|"
        r"exhaust|requests|throughput|deadline|timed? ?out|\bp9\d|saturat|storm|backlog|connections"
    ),
    "slow": re.compile(r"(?i)latenc|slow|\bp9\d|timed? ?out|deadline|duration|backlog|\blag|\bcpu|behind"),
    "time": re.compile(
        r"(?i)naive|offset-aware|time.?zone|datetime|expired|not yet valid|in the future|skew|\butc\b|timestamp|"
        r"stale|too old|\bdates?\b|schedule|\bhours?\b"
    ),
    "rejects": re.compile(
        r"(?i)\b4(?:00|22)\b|invalid|validat|reject|bad request|required|schema|malformed|unprocessable|"
        r"unexpected (?:field|"
        r"property)|not allowed|unknown (?:field|property)|constraint|must (?:be|not|match)"
    ),
    "denied": re.compile(r"(?i)denied|forbidden|\b403\b|\b401\b|not authori|unauthori|permission|\bscope"),
    "secure": re.compile(r"(?i)\btls|\bssl|certificate|handshake|x509|\bcors|origin"),
    "race": re.compile(
        r"(?i)\brac(?:e|ing)\b|concurrent|deadlock|duplicat|inconsisten|corrupt|double|twice|conflict|"
        r"integrity|lost update|"
        r"oversold|negative"
    ),
    "range": re.compile(r"(?i)overflow|out of range|truncat|too long|precision|negative|numeric|integer|exceeds"),
    "names": re.compile(
        r"(?i)unknown|missing|not found|no such|undefined|\bnull\b|\bnone\b|\bnil\b|key.?error|unmarshal|"
        r"decod|deserial|pars(?:e|ing)|"
        r"column|field|\b404\b|unset|empty|required|not set"
    ),
    "null": re.compile(r"(?i)\bnil\b|null|\bnone\b|undefined|panic|\bnpe\b|exception|type.?error|segfault"),
    "way": re.compile(
        r"(?i)refused|unreachable|no route|not found|resolve|lookup|timed? ?out|unknown host|\b404\b|"
        r"\b50[234]\b|unavailable|connect"
    ),
    "work": re.compile(
        r"(?i)memory|\boom|exhaust|too many|throttl|rate.?limit|\b429\b|overload|satur|capacity|\bcpu|\bshed|\bslots"
    ),
    "none": re.compile(r"(?!)"),
}
FITS: Final = 0.75  # for one whose harm is what the symptom complains of


@dataclass(frozen=True)
class Effect:
    """What a diff is likely to do."""

    score: float
    why: str = ""
    names: tuple[str, ...] = ()  # what it is about, in small letters: a line of the diff holds one of them
    harm: str = "none"  # key of HARMS
    only_if: bool = False  # good changes look alike: a reason only where the symptom complains of the very harm
    calls: bool = False  # makes more calls of what it needs, so that a callee suffers for it
    loses_name: bool = False  # all that it does is to take a name away

    def under(self, failing: str) -> float:
        """Its score where this text says what fails."""
        fits = HARMS[self.harm].search(failing) is not None
        return 0.0 if self.only_if and not fits else self.score + (FITS if fits else 0.0)


LOSES_NAME: Final = 1.0  # a field, key or call that was there is gone: whoever relied on it finds nothing
NOTHING: Final = Effect(0.0)
