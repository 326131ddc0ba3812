"""Shapes in a diff that leave something open, ask again, or ask without end."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.diffs.effect import Effect

Lines = list[str]

# What gives a resource back on every way out, whatever happens in between.
_ALWAYS: Final = re.compile(
    r"(?P<how>\bdefer\b(?=.*\b(?:Close|Release|Unlock|RUnlock|Rollback|Stop|Put|cancel|Done))|"
    r"\bfinally\b|\bensure\b(?=\s*$)|"
    r"\btry\s*\((?=\s*[\w<>,\s]+=)|\b(?:async\s+)?with\b(?=\s+[\w.]*(?:open|connect|session|cursor|"
    r"lock|acquire|client|pool|begin|"
    r"atomic|transaction)\w*\W)|\busing\b(?=\s*(?:\(|var\b))|\.use\b(?=\s*\{))",
    re.IGNORECASE,
)
_GIVES: Final = re.compile(
    r"\b(close|release|unlock|rollback|dispose|put|cancel|disconnect|shutdown)\w*\s*\(", re.IGNORECASE
)
_LEAVES: Final = re.compile(r"^\s*(?:\}?\s*(?:return|throw|raise|continue|break)\b)")
_RETRY: Final = re.compile(r"retr(?:y|ies)|backoff|attempt", re.IGNORECASE)
_HOLDS_BACK: Final = re.compile(r"\w*(?:backoff|jitter|exponential)\w*|\bsleep\b", re.IGNORECASE)
_SPARES: Final = re.compile(
    r"\b(ignoreExceptions?|noRetryFor|nonRetryable\w*|non_retryable\w*|notRetryOn|doNotRetry\w*|"
    r"abortOn|giveup|dont_retry\w*|"
    r"isRetryable|retryable\w*|is_retryable|unretryable\w*)\b"
)
_CLASSES: Final = re.compile(r"\b(\w*(?:Exception|Error|Throwable)|Err[A-Z]\w+)\b")
_MAKES: Final = re.compile(
    r"(?:\bnew\s+(?P<a>\w*(?:Client|Pool|DataSource|SessionFactory|EntityManagerFactory|Producer|"
    r"ConnectionFactory|HttpAgent)\w*)\s*[(<]|"
    r"\b(?P<b>create_engine|MongoClient|create_pool|createPool|createClient|sessionmaker|sql\.Open|"
    r"grpc\.(?:Dial|NewClient)|"
    r"redis\.(?:Redis|NewClient|createClient)|http\.(?:Client|Transport)|httpx\.(?:Async)?Client|"
    r"aiohttp\.ClientSession|"
    r"requests\.Session|boto3\.(?:client|resource)|mysql\.createConnection|psycopg2?\.connect|"
    r"sqlx\.(?:Connect|Open))\s*[({])"
)
_CACHES: Final = re.compile(
    r"@(?:lru_cache|cache\w*|cached_property|Cacheable|memoize)\b|\b(?:cache|memo)\w*\s*\.\s*(?:get|"
    r"load|fetch|remember|computeIfAbsent|"
    r"getOrSet|get_or_set|GetOrLoad|wrap|Do)\b|\b(?:useMemo|memoize|singleflight|functools\.cache)\b",
    re.IGNORECASE,
)
_CACHE: Final = re.compile(r"cache|memo|singleflight", re.IGNORECASE)
_BESIDE: Final = re.compile(
    r"\bgo func\b|\bgo \w+\(|\.delay\(|\.apply_async\(|\bcreate_task\(|\bexecutor\.submit\(|"
    r"\bsubmit\(|@Async\b|\benqueue\w*\(|"
    r"\bsetImmediate\(|\brunAsync\(|\bsupplyAsync\(|\bPromise\.all\(|\basyncio\.gather\(|"
    r"\bparallelStream\(|\berrgroup\b"
)
_WAITS: Final = re.compile(r"\b(?:time\.sleep|Thread\.sleep|time\.Sleep|asyncio\.sleep|usleep|pg_sleep)\b\s*\(")


def left_open(diff: str, removed: Lines, added: Lines) -> Iterator[Effect]:
    """A release that no longer runs on every way out."""
    before, after = "\n".join(removed), "\n".join(added)
    was = (
        None
        if any(_takes(line) for line in removed) and not any(_takes(line) for line in added)
        else _ALWAYS.search(before)
    )
    gives = _GIVES.search(before) or _GIVES.search(after)
    if was and not _ALWAYS.search(after) and (gives or was["how"].lower().startswith(("using", "with", "try", ".use"))):
        how = was["how"].strip().split("(")[0].strip().lower()
        yield Effect(
            1.75,
            f"no longer runs {gives[1].lower() if gives else 'close'} on every way out ({how} is gone)",
            (how,),
            "leak",
        )
    elif not was and (early := _early_way_out(diff)):
        yield Effect(1.5, f"leaves before {early} is reached", (early,), "leak")
    if re.search(r"context\.(?:Background|TODO)\(\)", after) and re.search(r"\bctx\b", before):
        yield Effect(1.0, "no longer passes the caller's deadline on", ("context.",), "leak")
    if re.search(r"make\(chan [\w.*{}\[\] ]+,\s*\w", before) and re.search(r"make\(chan [\w.*{}\[\] ]+\)", after):
        yield Effect(1.0, "takes the buffer of a channel away", ("make(chan",), "leak")


def _early_way_out(diff: str) -> str:
    """The release, written once and at the end, above which a way out was added; empty where there is none."""
    for hunk in re.split(r"^@@.*$", diff, flags=re.MULTILINE):
        lines = hunk.splitlines()
        kept = [at for at, line in enumerate(lines) if line[:1] in (" ", "\t") and _gives_plainly(line)]
        ways = [at for at, line in enumerate(lines) if line[:1] == "+" and _LEAVES.match(line[1:])]
        taken = [at for at, line in enumerate(lines) if line[:1] != "-" and _takes(line)]
        late = next((at for at in kept if any(way < at and any(t < way for t in taken) for way in ways)), None)
        if late is not None and not _ALWAYS.search(hunk) and (gives := _GIVES.search(lines[late])):
            return gives[1].lower()
    return ""


def _gives_plainly(line: str) -> bool:
    return bool(_GIVES.search(line)) and not _ALWAYS.search(line)


def _takes(line: str) -> bool:
    return (
        re.search(r"(?i)\b(lock|acquire|open|connect|get_?connection|begin\w*|checkout|borrow\w*)\w*\(", line)
        is not None
    )


def asks_again(removed: Lines, added: Lines) -> Iterator[Effect]:
    """Retries of more failures than before, or with less time between them."""
    before, after = "\n".join(removed), "\n".join(added)
    if not _RETRY.search(before + after):
        return
    if (spares := _SPARES.search(before)) and spares[1] not in after:
        yield _retries(f"retries also what {spares[1]} spared", spares[1])
    old, new = _caught(removed), _caught(added)
    if old and new and (wider := sorted(new - old)) and old - new and any(_is_wider(one, old) for one in wider):
        yield _retries(f"retries on {wider[0]} where it did on {', '.join(sorted(old - new)[:2])}", wider[0])
    gone = {word.lower() for word in _HOLDS_BACK.findall(before)} if not _HOLDS_BACK.search(after) else set()
    if gone:
        first = sorted(gone)[0]
        yield _retries(f"retries without {first}", first)


def _retries(why: str, name: str) -> Effect:
    return Effect(1.5, why, (name.lower(),), "load", calls=True)


def _caught(lines: Lines) -> set[str]:
    """Classes of failures in the lines about retries."""
    return {name for line in lines if _RETRY.search(line) for name in _CLASSES.findall(line)}


def _is_wider(name: str, old: set[str]) -> bool:
    """Whether the class is a general one beside those: their common end, or the root of all."""
    words = re.findall(r"[A-Z][a-z]+", name)
    roots = ("Exception", "Error", "Throwable", "BaseException", "RuntimeException", "RequestException", "IOException")
    return name in roots or any(set(words) < set(re.findall(r"[A-Z][a-z]+", one)) for one in old)


def made_anew(diff: str, removed: Lines, added: Lines) -> Iterator[Effect]:
    """A client or pool for each call, a cache that is gone, work that now runs inside the request."""
    before, after = "\n".join(removed), "\n".join(added)
    makes = next((match for line in added if line[:1] in " \t" and (match := _MAKES.search(line))), None)
    if makes and (not _MAKES.search(before) or any(line[:1] not in " \t" and _MAKES.search(line) for line in removed)):
        name = makes["a"] or makes["b"]
        if removed and re.search(
            r"^@@.*(?:\bfunc\b|\bdef\b|\bfunction\b|=>|\w\s*\([^)]*\)\s*(?:throws \w+\s*)?\{)", diff, re.MULTILINE
        ):
            yield Effect(1.25, f"makes a {name} anew for each call", (name.lower(),), "leak", calls=True)
    if (cache := _CACHES.search(before)) and not _CACHE.search(after):
        yield Effect(1.5, f"removes {cache[0].strip('@')}", (cache[0].lower(),), "load", calls=True)
    if (beside := _BESIDE.search(before)) and not _BESIDE.search(after) and added:
        word = beside[0].rstrip("(")
        yield Effect(1.0, f"waits for what {word} did beside it", (word.lower(),), "slow")
    if (waits := _WAITS.search(after)) and not _WAITS.search(before) and not _RETRY.search(after):
        yield Effect(1.0, f"waits in {waits[0].rstrip('( ')}", (waits[0].rstrip("( ").lower(),), "slow")
