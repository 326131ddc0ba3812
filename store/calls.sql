-- add: logs calls in one statement; the lists run side by side
-- An investigation that a worker takes over asks again under the same ids, and its report cites what came then.
insert into tool_call_log (
    investigation, call_id, agent, entry, identity, tool, tool_version, arguments, status, error, result_sha256,
    redactions, truncated, original_chars, started_at, seconds, text, coverage
)
select * from unnest(
    %(investigation)s::text[], %(call_id)s::text[], %(agent)s::text[], %(entry)s::text[], %(identity)s::text[],
    %(tool)s::text[], %(tool_version)s::text[], %(arguments)s::json[], %(status)s::text[], %(error)s::text[],
    %(result_sha256)s::text[], %(redactions)s::int[], %(truncated)s::bool[], %(original_chars)s::int[],
    %(started_at)s::timestamptz[], %(seconds)s::float8[], %(text)s::text[], %(coverage)s::json[]
)
on conflict (investigation, call_id) do update set
    agent = excluded.agent, entry = excluded.entry, identity = excluded.identity, tool = excluded.tool,
    tool_version = excluded.tool_version, arguments = excluded.arguments, status = excluded.status,
    error = excluded.error, result_sha256 = excluded.result_sha256, redactions = excluded.redactions,
    truncated = excluded.truncated, original_chars = excluded.original_chars, started_at = excluded.started_at,
    seconds = excluded.seconds, text = excluded.text, coverage = excluded.coverage

-- of_investigation: all calls of one investigation, by agent, then in the order of asking
select investigation, call_id, agent, entry, identity, tool, tool_version, arguments, status, error, result_sha256,
       redactions, truncated, original_chars, started_at, seconds, text, coverage
from tool_call_log
where investigation = %(investigation)s
order by agent, length(call_id), call_id
