"""Who is meant where no name resolves: the server that is asked, not a name that was asked for."""

from dataclasses import replace
from typing import Final

from analysis.addresses import is_own
from analysis.case import Case
from domain.entity import entity, name_of
from domain.evidence import Finding

DOWN: Final = "dns.resolver_down"


def of_resolver(case: Case, finding: Finding) -> Finding:
    """The finding about the name server, where it is about a name and the machine asks only one server.

    A stub on the machine itself passes questions on, so that who does not answer is not known.
    """
    if finding.kind != DOWN:
        return finding
    told = [fact.attributes for fact in case.facts if fact.kind == "dns"]
    servers = {name for each in told for name in str(each.get("server") or "").split(",") if name}
    asked = {each.get("query") for each in told}
    if name_of(finding.entity) not in asked or len(servers) != 1:
        return finding
    server = servers.pop()
    if is_own(server) or server.startswith("127."):
        return finding
    return replace(finding, entity=case.inventory.resolve(server) or entity("service", server))
