-- follows: an investigation is the second pass over what another found
update investigation set after = %(after)s where id = %(id)s

-- copy_calls: what the first pass called is cited by the second, too
insert into tool_call_log (
    investigation, call_id, agent, entry, identity, tool, tool_version, arguments, status, error, result_sha256,
    redactions, truncated, original_chars, started_at, seconds, text, coverage
)
select %(id)s, call_id, agent, entry, identity, tool, tool_version, arguments, status, error, result_sha256,
       redactions, truncated, original_chars, started_at, seconds, text, coverage
from tool_call_log
where investigation = %(after)s
on conflict (investigation, call_id) do nothing

-- hand: keeps what a second pass is to read
update investigation set handed = %(handed)s::json where id = %(id)s

-- handed: what the first pass left for the second
select handed from investigation where id = %(id)s and handed is not null

-- forget: nobody reads it any more
update investigation set handed = null where incident_id = %(incident_id)s and handed is not null

-- defer: one job for the second pass waits at most, for the latest report; workers hear of it at the commit
with moved as (
    update procrastinate_jobs set args = jsonb_build_object('incident', %(incident_id)s::text, 'after', %(id)s::text)
    where queueing_lock = %(lock)s and status = 'todo'
    returning id
)
select procrastinate_defer_jobs_v1(array[row(
    %(queue)s, %(task)s, 0, %(lock)s, %(lock)s,
    jsonb_build_object('incident', %(incident_id)s::text, 'after', %(id)s::text), null
)::procrastinate_job_to_defer_v1])
where not exists (select from moved)

-- amend: the first pass's report says why no second one came
update report set report = %(report)s::json, markdown = %(markdown)s
where investigation = %(id)s

-- add_reply: keeps a reply of a model; asked the same again, it replied anew
insert into model_reply (investigation, agent, turn, request, record)
values (%(investigation)s, %(agent)s, %(turn)s, %(request)s, %(record)s::json)
on conflict (investigation, agent, turn, request) do update set record = excluded.record, at = now()

-- replies: all replies of one investigation, by agent, in the order of asking
select record from model_reply
where investigation = %(investigation)s
order by agent, turn, at
