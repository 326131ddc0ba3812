"""An image that is built for another processor than the machine's."""

from datetime import UTC, datetime

from analysis.captures import facts_of
from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.architectures import joined
from analysis.lines.timestamps import Clock
from domain.alert import Incident, Window
from domain.evidence import Citation, Finding
from domain.facts import Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
REFUSED = Finding("container:app", "runtime.exec_format", "s", (Citation("l.1", "logs/app.log"),), weight=0.9)
RUNS = Fact("container", "container:app", {"image": "registry.example/app:2", "state": "restarting"})


def captured(text: str) -> list[Fact]:
    return facts_of("artifacts/facts.txt", text, Clock(NOW))


def told(*facts: Fact, finding: Finding = REFUSED) -> list[object]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (finding,), facts, (), Inventory.build(facts), ())
    return [each.fact.attributes["text"] for each in joined(case)]


def image(name: str, words: str) -> str:
    return f"$ docker image inspect {name} --format '{{{{.Os}}}}/{{{{.Architecture}}}}'\n{words}\n"


def test_the_image_that_runs_and_the_machine_differ() -> None:
    facts = captured("$ uname -m\nx86_64\n" + image("registry.example/app:2", "linux/arm64"))
    assert told(RUNS, *facts) == ["the image is built for arm64, the host is x86_64"]
    lscpu = captured("$ arch\naarch64\n" + image("registry.example/app:2", "linux/amd64"))
    assert told(RUNS, *lscpu) == ["the image is built for amd64, the host is aarch64"]


def test_what_grep_leaves_of_both_tells_it() -> None:
    text = "$ lscpu | grep Arch\nArchitecture:            aarch64\n"
    text += '$ docker image inspect registry.example/app:2 | grep -i arch\n        "Architecture": "amd64",\n'
    assert told(RUNS, *captured(text)) == ["the image is built for amd64, the host is aarch64"]


def test_a_whole_document_tells_it_as_well() -> None:
    document = Fact("image", "external:app", {"name": "registry.example/app", "tag": "2", "architecture": "arm"})
    assert told(RUNS, document, *captured("$ uname -m\naarch64\n")) == [
        "the image is built for arm, the host is aarch64"
    ]


def test_one_architecture_under_two_names_another_image_or_no_refusal_tells_nothing() -> None:
    machine = captured("$ uname -m\nx86_64\n")
    assert told(RUNS, *machine, *captured(image("registry.example/app:2", "linux/amd64"))) == []
    assert told(RUNS, *machine, *captured(image("registry.example/app:1", "linux/arm64"))) == []
    assert told(RUNS, *captured(image("registry.example/app:2", "linux/arm64"))) == []
    other = Finding("container:app", "process.exited", "s")
    assert told(RUNS, *machine, *captured(image("registry.example/app:2", "linux/arm64")), finding=other) == []
