"""Which words of code stand for another behaviour when they take the place of others."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Swap:
    """What a line had, and what it has now in its place: `now` empty is: no added line has `was` any more."""

    why: str  # {was} and {now}: the words found
    was: str  # pattern of what removed lines hold and added ones do not; "": nothing need be gone
    now: str  # pattern of what added lines hold and removed ones do not
    harm: str = "none"
    score: float = 1.25
    only_if: bool = False
    calls: bool = False


SWAPS: Final = (
    Swap(
        "takes {now} without asking whether it is there",
        r"\.get\(\s*[\"']\w+[\"']|(?:\?|&)\.\w+|\?\?\s*\S+|\|\|\s*[\[{\"']",
        r"\[[\"']\w+[\"']\]|\w\.\w+|\w;",
        "null",
    ),
    Swap(
        "takes the value of {was} without asking whether there is one",
        r"\b(?:orElse\w*|ifPresent|unwrap_or\w*|getOrElse)\(",
        r"\.(?:get|unwrap|orElseThrow|expect)\(|!!",
        "null",
    ),
    Swap(
        "keeps {now} where it kept {was}, which threads can share",
        r"\b(?:Concurrent\w+|sync\.Map|CopyOnWrite\w+|AtomicInteger|AtomicLong|synchronized\w+|Lock\w*)\b",
        r"\b(?:HashMap|map\[|ArrayList|HashSet|int|long|dict)\b",
        "race",
    ),
    Swap(
        "no longer takes {was}",
        (
            r"(?i)\bFOR UPDATE\b(?: NOWAIT| SKIP LOCKED)?|\bnx\s*=\s*True|\bSET\w*NX\b|[\"']NX[\"']|"
            r"\bON CONFLICT\b|\bIF NOT EXISTS\b|\bINSERT IGNORE\b|\bwhere\s+version\b|@Version\b|@Lock\b"
        ),
        "",
        "race",
    ),
    Swap(
        "asks for {now} acknowledgements, not {was}",
        r"\backs\W+\w+",
        r"\backs\W+\w+",
    ),
    Swap(
        "lets only one have {now}",
        r"@?@?\bindex\b",
        r"(?i)\bunique\b",
        "race",
    ),
    Swap(
        "retries from {now} on, not from {was}",
        r"(?i)(?:status|code)\w*\s*>=?\s*[45]\d\d",
        r"(?i)(?:status|code)\w*\s*>=?\s*[45]\d\d",
        "load",
        calls=True,
    ),
    Swap(
        "isolates transactions as {now}, not {was}",
        r"(?i)\b(?:level)?(?:read_?committed|read_?uncommitted|repeatable_?read|serializable|snapshot)\b",
        r"(?i)\b(?:level)?(?:read_?committed|read_?uncommitted|repeatable_?read|serializable|snapshot)\b",
        "race",
    ),
    Swap(
        "fetches {now}, not {was}",
        (
            r"\b(?:EAGER|JOIN FETCH|includes|preload|eager_load|with_related|prefetch_related|select_related|"
            r"joinedload|selectinload)\b"
        ),
        r"\b(?:LAZY|lazyload|where|filter|all|findAll|select)\b",
        "load",
        calls=True,
    ),
    Swap(
        "loops without an end",
        r"\bfor\b.*(?:<|range)|\bwhile\b.*<|\btimes\b",
        r"\bfor \{|\bwhile\s*\(?(?:true|True|1)\)?|\bfor\s*\(;;\)",
        "load",
        calls=True,
    ),
    Swap(
        "reads as {now} what was read as {was}",
        (
            r"errors\s*=\s*[\"'](?:replace|ignore)|\b(?:utf-?8|gzip|zlib|base64|snappy|zstd|lz4|msgpack|avro|"
            r"protobuf)\w*"
        ),
        r"[\"'](?:ascii|latin-?1|cp125\d|utf-?16)|\b(?:ascii|json|parse|loads|read|decode)\w*",
        "names",
    ),
    Swap(
        "hashes with {now}, not {was}",
        r"(?i)\b(?:md5|sha1|sha256|sha512|crc32|murmur\w*|bcrypt|argon2\w*|xxhash)\b",
        r"(?i)\b(?:md5|sha1|sha256|sha512|crc32|murmur\w*|bcrypt|argon2\w*|xxhash)\b",
    ),
    Swap(
        "blocks in {now}",
        r"\bawait\b|\basync\b|promises",
        r"\b\w+Sync\(|\.Result\b|\.Wait\(\)|\.block\(\)|\.get\(\)\s*;",
        "slow",
    ),
    Swap(
        "keeps all at once ({now})",
        r"\bfor\b|\byield\b|iterator|stream|cursor|scan|\bnext\(",
        r"\b(?:fetchall|readAll|ReadAll|readlines|toList|collect|list)\(",
        "leak",
        only_if=True,
    ),
    Swap(
        "swallows {was}",
        r"\b(?:raise|throw|return err|return fmt\.Errorf|reject)\b",
        r"\bpass\b|\breturn nil\b|\breturn null\b|\{\s*\}|\bcontinue\b",
    ),
    Swap(
        "makes a key that is new each time ({now})",
        "(?i)key",
        r"(?i)key.*(?:uuid\w*|random\w*|nanoid|Date\.now|time\.now|nanotime)\(",
        "race",
    ),
    Swap(
        "writes times as {now}, not {was}",
        r"[\"'][^\"']*(?:%[YmdHMS]|yyyy|YYYY|MM)[^\"']*[\"']",
        r"[\"'][^\"']*(?:%[YmdHMSBb]|yyyy|YYYY|MM)[^\"']*[\"']",
        "time",
        only_if=True,
    ),
    Swap(
        "answers at {now}, no longer at {was}",
        r"[\"']/[\w/.:{}*-]+[\"']",
        r"[\"']/[\w/.:{}*-]+[\"']",
        "way",
    ),
    Swap(
        "answers to {now}, no longer to {was}",
        (
            r"\b(?:Get|Post|Put|Patch|Delete)Mapping\b|methods=\[[^\]]+\]|\.(?:get|post|put|patch|"
            r"delete)(?=\(\s*[\"']/)"
        ),
        (
            r"\b(?:Get|Post|Put|Patch|Delete)Mapping\b|methods=\[[^\]]+\]|\.(?:get|post|put|patch|"
            r"delete)(?=\(\s*[\"']/)"
        ),
        "way",
    ),
    Swap(
        "runs on {now}, not {was}",
        r"^FROM \S+",
        r"^FROM \S+",
        score=1.0,
    ),
    Swap(
        "no longer makes {was}",
        r"(?i)\bcreate\s+(?:unique\s+)?index\b(?:\s+concurrently)?",
        "",
        "slow",
    ),
    Swap(
        "listens to {now} and never stops",
        "",
        r"(?:\.on|\.addListener|addEventListener|\.subscribe)\(\s*[\"']?\w+",
        "leak",
        only_if=True,
    ),
    Swap(
        "keeps something in {now} for ever",
        "",
        (
            r"^(?:export )?(?:const|let|var|static)?\s*\w+\s*(?::[^=]+)?:?=\s*(?:new (?:Map|Set|HashMap|"
            r"ConcurrentHashMap)\b|\{\}|dict\(\)|defaultdict\(|make\(map)"
        ),
        "leak",
        only_if=True,
    ),
    Swap(
        "reads {now}, no longer {was}",
        r"(?:process\.env\.|environ(?:\.get)?[\[(][\"']|[gG]etenv\([\"']|System\.getenv\(\"|\$\{)\w+",
        r"(?:process\.env\.|environ(?:\.get)?[\[(][\"']|[gG]etenv\([\"']|System\.getenv\(\"|\$\{)\w+",
        "names",
    ),
    Swap(
        "sets {now}, no longer {was}",
        r"^\s*- name: [A-Z][A-Z0-9_]+\s*$",
        r"^\s*- name: [A-Z][A-Z0-9_]+\s*$",
        "names",
    ),
    Swap(
        "no longer knows {was}",
        r"^\s*[A-Z][A-Z_]{2,}(?=\s*(?:[,;(=]|$))",
        r"^\s*[A-Z][A-Z_]{2,}(?=\s*(?:[,;(=]|$))",
        "names",
    ),
)
