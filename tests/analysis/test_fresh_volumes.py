"""Volumes that a renamed compose project left behind."""

from analysis.joins.fresh_volumes import joined
from domain.facts import Fact
from tests.analysis.joining import case, fact


def volume(name: str, created: str) -> Fact:
    return fact("volume", f"volume:{name}", name=name, created=created)


def found(*volumes: Fact, mount: str = "wiki2_data:/data", started: str = "2026-03-01T10:00:05Z") -> list[object]:
    container = fact("container", "container:wiki", mounts=[mount], started_at=started)
    return [(each.fact.entity, each.fact.attributes["text"]) for each in joined(case([container, *volumes]))]


def test_the_older_sister_of_a_volume_that_began_with_its_container_is_named() -> None:
    told = found(volume("wiki_data", "2023-05-01T00:00:00Z"), volume("wiki2_data", "2026-03-01T10:00:00Z"))
    assert told == [("container:wiki", "wiki_data (project wiki)")]


def test_a_stack_that_is_new_beside_others_is_no_renamed_one() -> None:
    new = volume("wiki2_data", "2026-03-01T10:00:00Z")
    assert found(volume("shop_data", "2023-05-01T00:00:00Z"), new) == []  # another stack with a volume called data
    used = fact("container", "container:old", mounts=["wiki_data:/data"], started_at="2025-03-01T10:00:05Z")
    assert found(volume("wiki_data", "2023-05-01T00:00:00Z"), new, used) == []


def test_an_old_volume_another_key_or_a_folder_tells_nothing() -> None:
    older = volume("wiki_data", "2023-05-01T00:00:00Z")
    assert found(older, volume("wiki2_data", "2024-03-01T10:00:00Z")) == []  # has been in use for long
    assert found(older, volume("wiki2_data", "2023-05-01T00:00:09Z"), started="2023-05-01T00:01:00Z") == []
    assert found(volume("wiki_db", "2023-05-01T00:00:00Z"), volume("wiki2_data", "2026-03-01T10:00:00Z")) == []
    assert found(older, mount="/srv/wiki:/data") == []


OLD = [volume(f"docs_{key}", "2023-05-01T00:00:00Z") for key in ("data", "db")]
STACK = [volume(f"notes_{key}", "2026-03-01T10:00:00Z") for key in ("data", "db")]


def of_stack(*more: Fact, listed: str = "all", name: str = "notes-app-1") -> list[object]:
    """What is told of the container of the new stack, which a list of all containers has unless said otherwise."""
    of, started = f"container:{name}", "2026-03-01T10:00:05Z"
    container = fact("container", of, mounts=["notes_data:/data"], started_at=started, listed=listed)
    return [each.fact.attributes["text"] for each in joined(case([container, *more, *OLD, *STACK]))]


def test_the_old_project_is_gone_where_a_list_of_all_has_none_of_its_containers() -> None:
    db, other = fact("container", "container:notes-db-1"), fact("container", "container:shop-web-1")
    assert of_stack(db, other) == ["docs_data (project docs)"]


def test_a_second_stack_beside_the_first_is_no_renamed_one() -> None:
    assert of_stack(listed="") == []  # nobody looked whether production runs
    assert of_stack(fact("container", "container:docs-app-1")) == []
    assert of_stack(fact("container", "container:app", project="docs")) == []
    assert of_stack(fact("container", "container:app")) == []  # of which project is not known
    staging = fact("container", "container:wiki-new-app-1", mounts=["wiki-new_data:/data"])
    volumes = (volume("wiki_data", "2023-05-01T00:00:00Z"), volume("wiki-new_data", "2026-03-01T10:00:00Z"))
    assert list(joined(case([staging, *volumes]))) == []
    hosts = [fact("load", f"host:{name}") for name in ("one", "two")]
    assert of_stack(*hosts) == []
