"""Configurations of reverse proxies as they were shown."""

from analysis.case import Case


def silent_about(case: Case, word: str) -> int | None:
    """The place of a `proxy_pass` where nothing that was shown of the same configuration has this word."""
    for at, fact in enumerate(case.facts):
        if fact.kind != "setting" or not str(fact.attributes.get("name")).endswith("proxy_pass"):
            continue
        beside = (each.attributes for each in case.facts if each.kind == "setting" and each.entity == fact.entity)
        if not any(word in f"{each.get('name')} {each.get('value')}".lower() for each in beside):
            return at
    return None
