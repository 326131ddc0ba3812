-- save: keeps the one report of an incident's version; a second one is not taken
insert into report (incident_id, version, investigation, report, markdown)
values (%(incident_id)s, %(version)s, %(investigation)s, %(report)s::json, %(markdown)s)
on conflict (incident_id, version) do nothing

-- latest: the report of an incident with the highest version
select incident_id, version, investigation, report, markdown, created_at
from report
where incident_id = %(incident_id)s
order by version desc
limit 1

-- get: the report of one version
select incident_id, version, investigation, report, markdown, created_at
from report
where incident_id = %(incident_id)s and version = %(version)s

-- of_investigation: the last report that an investigation wrote
select incident_id, version, investigation, report, markdown, created_at
from report
where investigation = %(investigation)s
order by version desc
limit 1

-- recent: the heads of the latest report of each incident, those that were written last
select report.incident_id, report.version, report.investigation, incident.title, investigation.verdict,
       investigation.confidence, investigation.entity, investigation.fault, report.created_at
from report
join incident on incident.id = report.incident_id
join investigation on investigation.id = report.investigation
where report.version = (select max(version) from report as other where other.incident_id = report.incident_id)
order by report.created_at desc, report.incident_id
limit %(limit)s
