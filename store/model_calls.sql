-- add: logs one call
insert into model_call_log (
    investigation, agent, turn, tier, model, started_at, seconds, prompt_tokens, completion_tokens, estimated,
    window_share, cost, failure, attempts, key
) values (
    %(investigation)s, %(agent)s, %(turn)s, %(tier)s, %(model)s, %(started_at)s, %(seconds)s, %(prompt_tokens)s,
    %(completion_tokens)s, %(estimated)s, %(window_share)s, %(cost)s, %(failure)s, %(attempts)s, %(key)s
)

-- of_investigation: all calls of one investigation in the order of their ends
select investigation, agent, turn, model, tier, started_at, seconds, prompt_tokens, completion_tokens, estimated,
       window_share, cost, failure, attempts, key
from model_call_log where investigation = %(investigation)s order by id

-- spent: what the calls of one investigation took
select count(*)::int as calls, coalesce(sum(prompt_tokens), 0)::int as prompt_tokens,
       coalesce(sum(completion_tokens), 0)::int as completion_tokens, coalesce(sum(cost), 0)::float8 as cost
from model_call_log where investigation = %(investigation)s
