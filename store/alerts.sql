-- lock: one process decides at a time, so that an alert that two receive makes one incident; the number is our own
select pg_advisory_xact_lock(7134682090153)

-- expire: incidents of which nothing was heard for long are over, and what is in them does not fire there any more;
-- those that were set aside stay visible until somebody has looked
with over as (
    update incident set status = 'closed', closed_at = heard_at
    where heard_at < %(before)s and status in ('open', 'investigating')
    returning id
)
update incident_alert set firing = false from over where incident_id = over.id and firing

-- members: where alerts are: in an open incident, else in one that was closed just now
select distinct on (member.source, member.fingerprint)
       member.source, member.fingerprint, member.incident_id, member.firing, incident.status = 'closed' as closed
from unnest(%(sources)b::text[], %(fingerprints)b::text[]) as asked (source, fingerprint)
join incident_alert as member on member.source = asked.source and member.fingerprint = asked.fingerprint
join incident on incident.id = member.incident_id
where incident.status <> 'closed' or incident.closed_at >= %(closed_since)s
order by member.source, member.fingerprint, member.firing desc, incident.status <> 'closed' desc,
         incident.heard_at desc, incident.id

-- keyed: for each key the open incident that has it and grew last
select distinct on (incident_key.key) incident_key.key, incident.id, incident.grown_at
from incident_key
join incident on incident.id = incident_key.incident_id
where incident_key.key = any(%(keys)b::text[]) and incident.status <> 'closed' and incident.grown_at >= %(since)s
order by incident_key.key, incident.grown_at desc, incident.id

-- opened: how many incidents were opened of late
select count(*) as opened from incident where opened_at >= %(since)s

-- storm: the open incident that collects, for as long as it began of late or as many as make a storm came in of late
select id, grown_at from incident
where storm and status <> 'closed' and opened_at is not null and grown_at >= %(since)s
    and (
        opened_at >= %(since)s
        or %(since)s <= (
            select received_at from alert where incident_id = incident.id and account in ('new', 'joined')
            order by alert.id desc offset %(most)s - 1 limit 1
        )
    )
order by grown_at desc, id
limit 1

-- neighbours: who needs whom, both ways
select caller, callee from edge where caller = any(%(names)b::text[]) or callee = any(%(names)b::text[])

-- learn: remembers who needs whom
insert into edge (caller, callee)
select distinct caller, callee from unnest(%(callers)b::text[], %(callees)b::text[]) as row (caller, callee)
order by caller, callee
on conflict (caller, callee) do update set seen_at = now() where edge.seen_at < now() - interval '1 hour'

-- open: new incidents
insert into incident (
    id, title, fired_at, window_start, window_end, timezone, alerts, notes, gaps, opened_at, heard_at, grown_at, storm
)
select id, title, fired_at, fired_at - make_interval(secs => %(before_seconds)s), %(now)s, 'UTC', '[]', '', '[]',
       %(now)s, %(now)s, %(now)s, storm
from unnest(%(ids)b::text[], %(titles)b::text[], %(fired)b::timestamptz[], %(storms)b::boolean[])
     as row (id, title, fired_at, storm)
on conflict (id) do nothing

-- heard: what came in moves its incidents on; those that changed look at the time up to now
update incident
set heard_at = greatest(heard_at, %(now)s), status = case when reopened and status = 'closed' then 'open' else status end,
    closed_at = case when reopened then null else closed_at end,
    grown_at = case when grown then greatest(grown_at, %(now)s) else grown_at end,
    window_end = case when grown then greatest(window_end, %(now)s) else window_end end,
    fired_at = least(incident.fired_at, row.fired_at),
    window_start = least(window_start, row.fired_at - make_interval(secs => %(before_seconds)s))
from unnest(%(ids)b::text[], %(grown)b::boolean[], %(reopened)b::boolean[], %(fired)b::timestamptz[])
     as row (id, grown, reopened, fired_at)
where incident.id = row.id

-- add_gaps: what was odd about a post, once each
update incident
set gaps = (
    select json_agg(gap order by first)
    from (
        select gap, min(nr) as first
        from (
            select value as gap, nr from json_array_elements_text(gaps) with ordinality as old (value, nr)
            union all
            select value, 1000 + nr from unnest(%(gaps)b::text[]) with ordinality as new (value, nr)
        ) as all_of_them
        group by gap
        order by first
        limit %(most)s
    ) as kept
)
where id = any(%(ids)b::text[])

-- put_members: alerts in incidents; one that is there takes its new state
insert into incident_alert (incident_id, source, fingerprint, firing, alert)
select incident_id, source, fingerprint, firing, alert::json
from unnest(%(incident_ids)b::text[], %(sources)b::text[], %(fingerprints)b::text[], %(firing)b::boolean[],
            %(alerts)b::text[]) with ordinality as row (incident_id, source, fingerprint, firing, alert, nr)
order by nr
on conflict (incident_id, source, fingerprint) do update set firing = excluded.firing, alert = excluded.alert

-- put_keys: what keeps further alerts together with an incident
insert into incident_key (key, incident_id)
select distinct key, incident_id from unnest(%(keys)b::text[], %(incident_ids)b::text[]) as row (key, incident_id)
on conflict do nothing

-- close: incidents of which no alert fires any more; what was set aside stays so
update incident set status = 'closed', closed_at = %(now)s
where id = any(%(ids)b::text[]) and status in ('open', 'investigating')
      and not exists (select from incident_alert where incident_id = incident.id and firing)

-- log: what became of every alert
insert into alert (received_at, source, identity, fingerprint, name, status, account, why, incident_id, alert)
select %(now)s, source, %(identity)s, fingerprint, name, status, account, why, nullif(incident_id, ''), nullif(alert, '')::json
from unnest(%(sources)b::text[], %(fingerprints)b::text[], %(names)b::text[], %(statuses)b::text[],
            %(accounts)b::text[], %(whys)b::text[], %(incident_ids)b::text[], %(alerts)b::text[])
     with ordinality as row (source, fingerprint, name, status, account, why, incident_id, alert, nr)
order by nr

-- of_incident: what came in for an incident, the latest first
select id, received_at, source, identity, fingerprint, name, status, account, why
from alert
where incident_id = %(incident_id)s
order by id desc
limit %(limit)s

-- accounts: how many alerts of an incident were taken how
select account, count(*) as count from alert where incident_id = %(incident_id)s group by account order by account

-- prune: forgets what became of alerts of old, but for those of open incidents, and counts them
with old as (
    select alert.id from alert left join incident on incident.id = alert.incident_id
    where alert.received_at < now() - make_interval(secs => %(keep_seconds)s)
          and coalesce(incident.status, 'closed') = 'closed'
    order by alert.id
    limit %(limit)s
    for update of alert skip locked
), gone as (
    delete from alert using old where alert.id = old.id returning alert.source, alert.account
), counted as (
    insert into alert_pruned (source, account, count)
    select source, account, count(*) from gone group by source, account
    on conflict (source, account) do update set count = alert_pruned.count + excluded.count
)
select count(*) as gone from gone
