-- announce: a first word for each incident that came in lately and waits for its report
insert into notification (incident_id, what, channel)
select incident.id, 'first', channel
from incident cross join unnest(%(channels)s::text[]) as channel
where incident.opened_at > now() - make_interval(secs => %(seconds)s)
      and incident.status in ('open', 'investigating')
      and not exists (select from report where report.incident_id = incident.id)
on conflict do nothing

-- announce_end: a last word for each incident whose alerts were all resolved lately; of a replay nobody waits for one
insert into notification (incident_id, what, channel)
select incident.id, 'resolved', channel
from incident cross join unnest(%(channels)s::text[]) as channel
where incident.closed_at > now() - make_interval(secs => %(seconds)s) and incident.status = 'closed'
      and incident.opened_at is not null
on conflict do nothing

-- put: the report of one version, for each channel
insert into notification (incident_id, what, version, channel)
select %(incident_id)s, 'report', %(version)s, channel from unnest(%(channels)s::text[]) as channel
on conflict do nothing

-- due: what is to be sent now, the oldest first; nobody else gets it for the lease's time
update notification as own
set attempts = own.attempts + 1, next_at = now() + make_interval(secs => %(lease_seconds)s)
from (
    select incident_id, what, version, channel from notification
    where state = 'waiting' and next_at <= now() and channel = any(%(channels)s)
    order by next_at, incident_id, what, version, channel
    limit %(limit)s
    for update skip locked
) as next
where (own.incident_id, own.what, own.version, own.channel)
      = (next.incident_id, next.what, next.version, next.channel)
returning own.incident_id, own.what, own.version, own.channel, own.attempts

-- sent: it has arrived
update notification set state = 'sent', sent_at = now(), error = ''
where incident_id = %(incident_id)s and what = %(what)s and version = %(version)s and channel = %(channel)s

-- not_sent: it has not, and is tried again after the pause, or not at all
update notification
set state = case when %(pause)s::float8 is null then 'failed' else 'waiting' end, error = %(error)s,
    next_at = now() + make_interval(secs => coalesce(%(pause)s::float8, 0))
where incident_id = %(incident_id)s and what = %(what)s and version = %(version)s and channel = %(channel)s
      and state = 'waiting'

-- of_incident: what was told of an incident, in the order of telling
select incident_id, what, version, channel, state, attempts, error, created_at, sent_at
from notification
where incident_id = %(incident_id)s
order by created_at, what, version, channel
