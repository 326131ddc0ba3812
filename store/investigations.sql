-- lock_incident: keeps two investigations of one incident from taking the same version
select id, status, crashes, now() as now from incident where id = %(incident_id)s for update

-- start: begins an investigation under the incident's next version
insert into investigation (id, incident_id, version, status, contract, fingerprint, started_at, job)
select %(id)s, %(incident_id)s, coalesce(max(version), 0) + 1, 'running', %(contract)s, %(fingerprint)s,
       %(started_at)s, %(job)s
from investigation
where incident_id = %(incident_id)s
returning version

-- take: makes the caller the only one whose writes are taken
update investigation
set fencing_token = fencing_token + 1, lease_until = now() + make_interval(secs => %(lease_seconds)s)
where id = %(id)s and status = 'running'
returning fencing_token

-- hold: keeps the token's holder until the end of the transaction, and finds nothing where it is another's
select id from investigation
where id = %(id)s and fencing_token = %(token)s and status = 'running'
for share

-- renew: the leases of those that are still theirs
update investigation
set lease_until = now() + make_interval(secs => %(lease_seconds)s)
from unnest(%(ids)s::text[], %(tokens)s::bigint[]) as held (held_id, held_token)
where id = held_id and fencing_token = held_token and status = 'running'
returning id

-- release: nobody has it any more, and that is no crash
update investigation set lease_until = null
where id = %(id)s and fencing_token = %(token)s and status = 'running'
returning id

-- of_job: the latest investigation that a job of the incident began
select id, version, status, notified_at
from investigation
where incident_id = %(incident_id)s and job = %(job)s
order by version desc
limit 1

-- last_of: the latest investigation of an incident that a worker began (replays have no job)
select id, version, status, job, contract, fingerprint, started_at, lease_until is not null as leased, notified_at,
       after
from investigation
where incident_id = %(incident_id)s and job is not null
order by version desc
limit 1

-- count_crashes: remembers how many workers the incident has cost
update incident set crashes = %(crashes)s where id = %(incident_id)s

-- forgive: a report is there, or a person wants another try
update incident set crashes = 0, status = case status when 'failed' then 'open' else status end
where id = %(incident_id)s
returning id

-- set_aside: the incident is not tried again by itself
update incident set status = 'failed' where id = %(incident_id)s

-- begun: the incident is being looked into
update incident set status = 'investigating' where id = %(incident_id)s and status = 'open'

-- ended: the incident waits for its alerts to resolve, unless they have
update incident set status = 'open' where id = %(incident_id)s and status = 'investigating'

-- forget_checkpoints: an ended run is never gone on with
delete from checkpoints where thread_id = %(id)s

-- forget_checkpoint_blobs: as above
delete from checkpoint_blobs where thread_id = %(id)s

-- forget_checkpoint_writes: as above
delete from checkpoint_writes where thread_id = %(id)s

-- finish: writes down how it ended; a worker's run ends by the clock that it began by, whichever host ends it
update investigation
set status = %(status)s, reason = %(reason)s, verdict = %(verdict)s, confidence = %(confidence)s,
    entity = %(entity)s, fault = %(fault)s, ended_at = case when job is null then %(ended_at)s else now() end, lease_until = null
where id = %(id)s

-- notified: somebody was told
update investigation set notified_at = now() where id = %(id)s

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
