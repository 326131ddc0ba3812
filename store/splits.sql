-- may_split: the incident, if its alerts may have another one, with the one that there is
select incident.id, other.id as other, coalesce(other.status <> 'closed', false) as other_is_open,
       (select count(*) from incident as new where new.opened_at >= %(since)s) as opened
from incident
left join incident as other on other.split_from = incident.id
where incident.id = %(id)s and incident.opened_at is not null and incident.split_from is null

-- members: the alerts of an incident in their order
select id, fingerprint, firing, alert from incident_alert where incident_id = %(id)s order by id

-- split_off: the new incident's origin
update incident set split_from = %(origin)s where id = %(id)s

-- make_room: what the other incident knows of these alerts is older
delete from incident_alert as old using incident_alert as moved
where moved.id = any(%(ids)s) and old.incident_id = %(to)s
      and (old.source, old.fingerprint) = (moved.source, moved.fingerprint)

-- move: alerts go to the other incident
update incident_alert set incident_id = %(to)s where id = any(%(ids)s)

-- move_log: and what became of them with them
update alert set incident_id = %(to)s, why = why || '; ' || %(why)s
from incident_alert as moved
where moved.id = any(%(ids)s) and alert.incident_id = %(origin)s
      and (alert.source, alert.fingerprint) = (moved.source, moved.fingerprint)

-- grown: the other incident has grown
update incident set grown_at = %(now)s, heard_at = %(now)s, window_end = greatest(window_end, %(now)s)
where id = %(id)s

-- drop_keys: what no alert of the incident is about any more
delete from incident_key where incident_id = %(id)s and key = any(%(keys)s)
