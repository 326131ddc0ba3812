-- incidents: a page of the list: each with its last finished run, and whether one goes on
select incident.id, incident.title, incident.status, incident.fired_at, incident.created_at, incident.storm,
       last.version, last.verdict, last.confidence, last.entity, last.fault,
       exists (select from investigation where incident_id = incident.id and investigation.status = 'running') as runs,
       case when incident.opened_at is null then json_array_length(incident.alerts)
            else (select count(*) from incident_alert where incident_id = incident.id) end as alerts,
       (select count(*) from incident_alert where incident_id = incident.id and firing) as firing
from incident
left join lateral (
    select version, verdict, confidence, entity, fault from investigation
    where incident_id = incident.id and investigation.status = 'done'
    order by version desc
    limit 1
) as last on true
where (%(status)s::text is null or incident.status = %(status)s)
      and (%(verdict)s::text is null or last.verdict = %(verdict)s)
      and (%(text)s::text is null
           or strpos(lower(concat_ws(' ', incident.title, incident.id, last.entity, last.fault)), lower(%(text)s)) > 0)
order by incident.created_at desc, incident.id desc
limit %(limit)s offset %(offset)s

-- events: what runs of an incident said after an event, in order
select event.id, event.investigation, event.at, event.kind, event.data
from event
join investigation on investigation.id = event.investigation
where investigation.incident_id = %(incident_id)s and event.id > %(id)s
order by event.id
limit %(limit)s

-- busy: whether a run of the incident goes on or waits
select exists (select from investigation where incident_id = %(incident_id)s and status = 'running')
       or exists (
           select from procrastinate_jobs
           where args ->> 'incident' = %(incident_id)s and status in ('todo', 'doing')
       ) as busy
