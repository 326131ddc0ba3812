"""What a diff is likely to do, and whether that is what the symptom speaks of."""

import re
from dataclasses import dataclass
from typing import Final

# Of each kind of harm the words in which alerts and logs complain of it.
HARMS: Final[dict[str, re.Pattern[str]]] = {
    "leak": re.compile(
        r"(?i)pool|exhaust|acquir|too many (?:open|clients|connections)|descriptor|\bfds?\b|memory|\boom|leak|"
        r"deadline|"
        r"goroutine|thread|timed? ?out|hang|hung|stuck|starv"
    ),
    "load": re.compile(
        r"(?i)latenc|slow|\bcpu|satur|throttl|rate.?limit|too many requests|\b429\b|capacity|queue|overload|\bshed|"
        r"exhaust|requests|throughput|deadline|timed? ?out|\bp9\d|saturat|storm|backlog|connections"
    ),
    "slow": re.compile(r"(?i)latenc|slow|\bp9\d|timed? ?out|deadline|duration|backlog|\blag|\bcpu|behind|time-?out"),
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
        r"column|field|\b404\b|unset|empty|required|not set|couldn.?t find|config ?error"
    ),
    "unset": re.compile(
        r"(?i)unset|not set|required|missing|empty|undefined|localhost|127\.0\.0\.1|refused|denied|unauthor|"
        r"\b40[13]\b|default|invalid"
    ),
    "null": re.compile(r"(?i)\bnil\b|null|\bnone\b|undefined|panic|\bnpe\b|exception|type.?error|segfault"),
    "way": re.compile(
        r"(?i)refused|unreachable|no route|not found|resolve|lookup|timed? ?out|unknown host|\b404\b|"
        r"\b50[234]\b|unavailable|connect"
    ),
    "work": re.compile(
        r"(?i)memory|\boom|exhaust|too many|throttl|rate.?limit|\b429\b|overload|satur|capacity|\bcpu|\bshed|\bslots"
    ),
    "busy": re.compile(
        r"(?i)\bcpu|timed? ?out|latenc|slow|\bp9\d|hang|hung|stuck|blocked|busy|deadline|duration|\b504\b|satur"
    ),
    "holds": re.compile(
        r"(?i)pool|exhaust|connection is not available|acquir|too many|timed? ?out|idle in transaction|lock|"
        r"latenc|slow|pending|deadlock"
    ),
    "big": re.compile(
        r"(?i)too (?:large|big|long)|\b413\b|\b431\b|exceed|maximum|max(?:imum)? (?:size|length)|size limit|limit"
    ),
    "heap": re.compile(r"(?i)memory|heap|\boom|\bgc\b|garbage|\b137\b|cardinality|evict|pause"),
    "locks": re.compile(
        r"(?i)lock wait|\block(?:s|ed|ing)?\b|deadlock|waiting for|statement timeout|cancel(?:l?ed|"
        r"ing) statement|exclusive|lock timeout|blocked"
    ),
    "again": re.compile(
        r"(?i)duplicat|twice|double|more than (?:once|one)|redeliver|again|already|\bper (?:order|customer|user|"
        r"message|event|booking|invoice)\b|"
        r"receipt ?handle|receive ?count|same \w+ (?:two|several|many)|lease|conflict|lock lost"
    ),
    "order": re.compile(
        r"(?i)out of order|sequence|inconsisten|stale|version conflict|partition|skew|\blag|older than"
    ),
    "lost": re.compile(
        r"(?i)\blost\b|missing|never (?:arriv|process|sent)|not (?:processed|delivered|found)|nosuchkey|\b404\b|"
        r"does not exist|no such|unprocessed|gap|"
        r"dropped|empty|disappear|deleted"
    ),
    "files": re.compile(
        r"(?i)permission denied|eacces|eperm|read-only file ?system|erofs|operation not permitted|"
        r"cannot (?:create|open|write|mkdir)|not writable"
    ),
    "reach": re.compile(
        r"(?i)refused|unreachable|no route|timed? ?out|unknown host|no such host|name resolution|"
        r"could not resolve|network|connect"
    ),
    "probe": re.compile(r"(?i)probe|unhealthy|restart|crash ?loop|not ready|liveness|readiness|killing"),
    "start": re.compile(
        r"(?i)exec format|no such file|not found|shared librar|glibc|cannot execute|crash ?loop|exited|"
        r"fail\w* to start|symbol|unsupported|"
        r"incompatible|cannot find|enoent|unable to (?:locate|find)|class ?not ?found|module ?not ?found|"
        r"exit code|unrecognized|unknown option"
    ),
    "place": re.compile(
        r"(?i)\bpending\b|unschedul|taint|insufficient|nodes are available|affinity|evict|no nodes?|preempt"
    ),
    "charset": re.compile(r"(?i)incorrect string|character|encod|decod|unicode|codec|collation|mojibake|\?\?\?"),
    "session": re.compile(r"(?i)session|logged? ?(?:in|out)|cookie|\b401\b|csrf|websocket|sign.?in|cart is empty"),
    "prepared": re.compile(r"(?i)prepared statement|advisory|search_path|temporary table|session|unnamed portal"),
    "cut": re.compile(
        r"(?i)\b50[234]\b|reset|sigkill|sigterm|killed|\beof\b|broken pipe|refused|duplicat|unfinished|aborted|"
        r"half|incomplete|drain"
    ),
    "form": re.compile(
        r"(?i)deserial|serial|unmarshal|pars(?:e|ing)|decod|invalid ?class|incompatible|mismatch|cast|"
        r"type ?error|convert|schema|unexpected token"
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

    def fits(self, failing: str) -> bool:
        """Whether the text complains of its harm."""
        return HARMS[self.harm].search(failing) is not None

    def under(self, failing: str) -> float:
        """Its score where this text says what fails."""
        fits = self.fits(failing)
        return 0.0 if self.only_if and not fits else self.score + (FITS if fits else 0.0)


LOSES_NAME: Final = 1.0  # a field, key or call that was there is gone: whoever relied on it finds nothing
NOTHING: Final = Effect(0.0)
