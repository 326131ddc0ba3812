"""A rebuilt image with another version of the package that its error names."""

# ruff: noqa: E501 (samples are as long as programs print them)

from analysis.captures import facts_of
from analysis.joins.dependency_drift import joined
from analysis.lines.timestamps import Clock
from domain.facts import Fact
from tests.analysis.joining import NOW, case, fact, finding

PIP = "$ diff <(docker run --rm app:1 pip freeze) <(docker run --rm app:2 pip freeze)\n4c4\n< Jinja2==3.0.3\n---\n> Jinja2==3.1.2\n"
ERROR = (
    "ImportError: cannot import name 'escape' from 'jinja2' (/usr/local/lib/python3.9/site-packages/jinja2/__init__.py)"
)


def captured(text: str) -> list[Fact]:
    return facts_of("artifacts/build.txt", text, Clock(NOW))


def told(text: str, line: str, kind: str = "log.error") -> list[tuple[object, ...]]:
    found = joined(case(captured(text), [finding("container:app", kind, line)]))
    return [tuple(each.fact.attributes[name] for name in ("name", "previous", "version")) for each in found]


def test_the_package_that_the_error_names_came_in_another_version() -> None:
    assert told(PIP, ERROR) == [("Jinja2", "3.0.3", "3.1.2")]


def test_lists_of_other_languages_read_alike() -> None:
    npm = "$ diff <(npm ls --all old) <(npm ls --all new)\n< ├── chalk@4.1.2\n---\n> ├── chalk@5.0.0\n"
    line = "Error [ERR_REQUIRE_ESM]: require() of ES Module /app/node_modules/chalk/source/index.js not supported."
    assert told(npm, line) == [("chalk", "4.1.2", "5.0.0")]
    gems = (
        "$ diff old/Gemfile.lock new/Gemfile.lock\n<     concurrent-ruby (1.3.4)\n---\n>     concurrent-ruby (1.3.5)\n"
    )
    assert told(gems, "concurrent_ruby-1.3.5: uninitialized constant Logger (NameError)") == [
        ("concurrent-ruby", "1.3.4", "1.3.5")
    ]


def test_another_package_another_kind_of_line_or_an_equal_version_tells_nothing() -> None:
    assert told(PIP, "ImportError: cannot import name 'create_app' from 'shop'") == []
    assert told(PIP, "jinja2 renders the page") == []
    assert told(PIP.replace("3.1.2", "3.0.3"), ERROR) == []
    assert told(PIP, ERROR, "proxy.upstream_down") == []
    assert told(PIP.replace("pip freeze", "cat notes"), ERROR) == []


def test_the_packages_of_one_container_say_nothing_of_another_ones_error() -> None:
    facts = [
        fact("package", "container:web", name="pyyaml", version="6.0", previous="5.4", action="changed"),
        fact("container", "container:job", image="job:1"),
    ]
    said = "AttributeError: module 'yaml' has no attribute 'load_all'"
    assert list(joined(case(facts, [finding("container:job", "log.error", said)]))) == []
    assert len(list(joined(case(facts, [finding("container:web", "log.error", said)])))) == 1


def test_thousands_of_packages_and_hundreds_of_errors_are_not_multiplied() -> None:
    facts = [
        fact("package", "host:w1", name=f"p-{at}", version="2", previous="1", action="changed") for at in range(3000)
    ]
    said = [finding(f"service:s{at}", "log.error", f"refused {at}") for at in range(3000)]
    assert list(joined(case(facts, said))) == []
