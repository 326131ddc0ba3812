"""A worker that is asked for the web server of its image."""

from datetime import UTC, datetime

import pytest

from analysis.case import Case
from analysis.inventory import Inventory
from analysis.joins.inherited_checks import joined
from domain.alert import Incident, Window
from domain.facts import Attribute, Fact

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
CURL = "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Could not connect to server"
WGET = "wget: can't connect to remote host (127.0.0.1): Connection refused"


def container(name: str, command: Attribute, output: str = CURL, health: str = "unhealthy", **more: Attribute) -> Fact:
    told: dict[str, Attribute] = {"state": "running", "health": health, "image": "shop:2", "command": command}
    told |= {"health_output": output, "health_command": "curl -f http://localhost:3000/up"}
    return Fact("container", f"container:{name}", told | more, "docker/containers.json")


def found(*facts: Fact) -> list[tuple[str, object]]:
    incident = Incident("i1", "t", NOW, Window(NOW, NOW), "UTC", ())
    case = Case(incident, (), (), facts, (), Inventory.build(facts), ())
    return [(f.fact.entity, f.fact.attributes["text"]) for f in joined(case)]


@pytest.mark.parametrize(
    "command",
    [
        ["celery", "-A", "shop", "worker", "-l", "info"],
        ["bundle", "exec", "sidekiq"],
        ["php", "artisan", "queue:work", "--tries=3"],
        "python manage.py rqworker default",
        "node dist/worker.js",
    ],
)
def test_a_worker_that_is_refused_at_its_own_port_is_told(command: Attribute) -> None:
    assert [of for of, _ in found(container("jobs", command))] == ["container:jobs"]
    assert [of for of, _ in found(container("jobs", command, WGET))] == ["container:jobs"]


def test_one_that_starts_is_told_beside_a_well_server_of_its_image() -> None:
    web = container("web", ["puma", "-p", "3000"], "", "healthy")
    assert found(container("jobs", ["bundle", "exec", "sidekiq"], health="starting"), web) != []
    assert found(container("api", ["node", "dist/main.js", "--workers", "4"], health="starting"), web) == []


def test_a_program_of_no_known_name_is_told_beside_a_well_server_of_its_image() -> None:
    web = container("web", ["puma", "-p", "3000"], "", "healthy")
    assert found(container("mailer", ["bin/mailer"]), web) == [("container:mailer", "bin/mailer")]
    assert found(container("mailer", ["bin/mailer"])) == []


@pytest.mark.parametrize(
    "fact",
    [
        container("web", ["gunicorn", "--workers", "4", "shop:app"]),  # a server that is down
        container("jobs", ["bundle", "exec", "sidekiq"], "Health check exceeded timeout (3s)"),
        container("jobs", ["bundle", "exec", "sidekiq"], health="healthy"),
        container("jobs", ["bundle", "exec", "sidekiq"], health="starting"),
        container("web", ["node", "dist/main.js", "--workers", "4"]),
        container("web", ["node", "dist/main.js", "--workers=4"], health="starting"),
        container("jobs", ["bundle", "exec", "sidekiq"], state="exited"),
        container(
            "jobs", ["bundle", "exec", "sidekiq"], "dial tcp 10.0.0.4:6379: refused", health_command="ping redis"
        ),
    ],
)
def test_a_server_a_slow_check_a_well_one_or_a_refusal_elsewhere_is_none(fact: Fact) -> None:
    assert found(fact) == []
