-- alerts: what became of the alerts that came in
select source, account, sum(count)::bigint as count
from (
    select source, account, count(*) as count from alert group by source, account
    union all
    select source, account, count from alert_pruned
) as both_of_them
group by source, account order by source, account

-- incidents: how many there are of each status
select status, count(*)::bigint as count from incident group by status order by status

-- investigations: how they ended
select status, coalesce(verdict, '') as verdict, count(*)::bigint as count
from investigation group by 1, 2 order by 1, 2

-- seconds: how long those with a report took, as a histogram
select (select array_agg(count order by bound) from (
           select bound, (select count(*) from investigation
                          where status = 'done' and extract(epoch from ended_at - started_at) <= bound) as count
           from unnest(%(bounds)s::float8[]) as bound
       ) as each)::bigint[] as buckets,
       count(*)::bigint as count,
       coalesce(sum(extract(epoch from ended_at - started_at)), 0)::float8 as sum
from investigation where status = 'done'

-- calls: tool calls by how they ended
select tool, status, count(*)::bigint as count, coalesce(sum(seconds), 0)::float8 as seconds
from tool_call_log group by tool, status order by tool, status

-- notifications: what was told, and what waits or was given up
select channel, state, count(*)::bigint as count from notification group by channel, state order by channel, state

-- models: calls of language models by how they ended
select tier, model, failure, count(*)::bigint as count, sum(attempts)::bigint as attempts,
       sum(prompt_tokens)::bigint as prompt_tokens, sum(completion_tokens)::bigint as completion_tokens,
       sum(cost)::float8 as cost, sum(seconds)::float8 as seconds
from model_call_log group by tier, model, failure order by tier, model, failure

-- keys: keys of models by what becomes of them
select case when disabled_at is not null then 'disabled' when rests_until > now() then 'resting' else 'free' end
           as state, count(*)::bigint as count
from model_key group by 1 order by 1
