-- save: keeps an incident; one that is there already takes the new description and keeps its status
insert into incident (id, title, fired_at, window_start, window_end, timezone, alerts, notes, gaps)
values (
    %(id)s, %(title)s, %(fired_at)s, %(window_start)s, %(window_end)s, %(timezone)s, %(alerts)s::json, %(notes)s,
    %(gaps)s::json
)
on conflict (id) do update set
    title = excluded.title, fired_at = excluded.fired_at, window_start = excluded.window_start,
    window_end = excluded.window_end, timezone = excluded.timezone, alerts = excluded.alerts, notes = excluded.notes,
    gaps = excluded.gaps

-- set_status: moves an incident on
update incident set status = %(status)s where id = %(id)s

-- get: one incident; the alerts of one that came by webhook stand one by one
select id, title, fired_at, window_start, window_end, timezone, notes,
       coalesce(
           (select json_agg(member.alert order by member.id) from incident_alert as member
            where member.incident_id = incident.id),
           alerts
       ) as alerts, gaps, status, created_at
from incident
where id = %(id)s

-- recent: the incidents that came in last, the latest first
select id, title, fired_at, window_start, window_end, timezone, alerts, notes, gaps, status, created_at
from incident
order by created_at desc, id
limit %(limit)s
