"""A rebuilt image whose dependency came in another version, beside the error at its import or use."""

import re
from collections.abc import Iterator
from typing import Final

from analysis.case import Case
from analysis.joined_fact import JoinedFact
from analysis.last_words import SAID
from domain.entity import kind_of
from domain.evidence import Finding
from domain.facts import Fact

NAME: Final = "dependency_drift"
_FAULTS: Final = ("process.start_failed", "application.exception", "change.dependency_drift", "runtime.version_moved")
# What an interface that went away or changed looks like, in the languages that say so when they run.
_BROKE: Final = re.compile(
    r"ImportError|ModuleNotFoundError|AttributeError|TypeError|cannot import name|No module named|has no attribute|"
    r"unexpected keyword argument|uninitialized constant|NoMethodError|LoadError|undefined method|"
    r"Cannot find module|is not a function|ERR_REQUIRE_ESM|ERR_PACKAGE_PATH_NOT_EXPORTED|"
    r"Call to undefined|Class \S+ not found|NoSuchMethodError|NoClassDefFoundError|must be compatible with|"
    r"(?i:deprecat|removed in|no longer|has been moved|incompatib)"
)
_MODULES: Final = {
    "pyyaml": "yaml", "pillow": "pil", "beautifulsoup4": "bs4", "python_dateutil": "dateutil", "pyjwt": "jwt",
    "psycopg2_binary": "psycopg2", "opencv_python": "cv2", "scikit_learn": "sklearn", "protobuf": "google",
    "pyopenssl": "openssl", "attrs": "attr", "setuptools": "pkg_resources", "mysqlclient": "mysqldb",
}  # fmt: skip


def joined(case: Case) -> Iterator[JoinedFact]:
    """One fact for each thing whose error names a package that is seen to have changed."""
    changed = [
        (at, fact, _named(str(fact.attributes["name"])))
        for at, fact in enumerate(case.facts)
        if fact.kind == "package" and _is_drift(fact)
    ]
    told: set[str] = set()
    for finding in case.findings if changed else ():
        if finding.entity in told or finding.kind not in (*SAID, *_FAULTS):
            continue
        broken = [line.replace("-", "_") for each in finding.citations if _BROKE.search(line := each.quote or "")]
        for at, fact, named in changed if broken else ():
            if any(map(named.search, broken)) and not _is_anothers(case, fact, finding):
                told.add(finding.entity)
                yield _joined(case, finding, at)
                break


def _is_drift(fact: Fact) -> bool:
    return fact.attributes.get("action") in ("changed", "added") and bool(fact.attributes.get("previous"))


def _is_anothers(case: Case, fact: Fact, finding: Finding) -> bool:
    """Whether the packages are those of one container and the error is of another."""
    places = (fact.entity, finding.entity)
    return all(kind_of(each) in ("container", "pod") for each in places) and not case.inventory.same(*places)


def _named(package: str) -> re.Pattern[str]:
    """What names the package in a line whose dashes are underscores."""
    plain = re.sub(r"[-.]", "_", package.rpartition("/")[2].lower())
    names = {plain, _MODULES.get(plain, plain), plain.removeprefix("python_"), plain.replace("_", "")}
    return re.compile(rf"(?i)(?<![a-z0-9_])(?:{'|'.join(sorted(map(re.escape, names)))})(?![a-z0-9])")


def _joined(case: Case, finding: Finding, at: int) -> JoinedFact:
    told = case.facts[at].attributes
    more = {**told, "action": NAME}
    fact = Fact("package", finding.entity, more)
    cited = (*finding.citations[:1], *case.cite(at, "name", "version", "previous"))
    return JoinedFact(fact, cited, finding.onset)
