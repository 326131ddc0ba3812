-- append: what a run says while it is the row's holder; the lists run side by side
with held as (
    select id from investigation
    where id = %(investigation)s and fencing_token = %(token)s and status = 'running'
    for share
),
told as (
    insert into event (investigation, kind, data)
    select held.id, kind, data
    from held cross join unnest(%(kinds)s::text[], %(data)s::json[]) with ordinality as row (kind, data, ordinality)
    order by ordinality
    returning id
)
select count(*) as told, count(pg_notify('fishbone_event', %(investigation)s)) from held left join told on true

-- since: what came after an event, in order
select id, investigation, at, kind, data
from event
where investigation = %(investigation)s and id > %(id)s
order by id
limit %(limit)s
