-- lock_incident: keeps two investigations of one incident from taking the same version
select id from incident where id = %(incident_id)s for update

-- start: begins an investigation under the incident's next version
insert into investigation (id, incident_id, version, status, contract, fingerprint, started_at)
select %(id)s, %(incident_id)s, coalesce(max(version), 0) + 1, 'running', %(contract)s, %(fingerprint)s, %(started_at)s
from investigation
where incident_id = %(incident_id)s
returning version

-- finish: writes down how it ended
update investigation
set status = %(status)s, reason = %(reason)s, verdict = %(verdict)s, confidence = %(confidence)s,
    entity = %(entity)s, fault = %(fault)s, ended_at = %(ended_at)s
where id = %(id)s

-- get: one investigation
select id, incident_id, version, status, reason, verdict, confidence, entity, fault, contract, fingerprint,
       fencing_token, started_at, ended_at
from investigation
where id = %(id)s

-- of_incident: the investigations of an incident, the latest version first
select id, incident_id, version, status, reason, verdict, confidence, entity, fault, contract, fingerprint,
       fencing_token, started_at, ended_at
from investigation
where incident_id = %(incident_id)s
order by version desc, id
