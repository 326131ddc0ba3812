-- know: makes the keys known; what is known of them already stays
insert into model_key (hash, address) select unnest(%(hashes)s::text[]), %(address)s on conflict (hash) do nothing

-- forget: what was not valid and is not used any more
delete from model_key where disabled_at is not null and not (hash = any(%(hashes)s))

-- turn: one taker at a time, so that each sees what the one before took; held until the transaction ends
select pg_advisory_xact_lock(7134682090155)

-- take: of the keys that are free the preferred one, else the one that was not used for the longest time
with free as (
    select hash from model_key
    where hash = any(%(hashes)s) and disabled_at is null and (rests_until is null or rests_until <= now())
    order by (hash = %(preferred)s) desc, taken_at nulls first, hash
    limit 1
)
update model_key set taken = taken + 1, taken_at = clock_timestamp() from free where model_key.hash = free.hash
returning model_key.hash

-- soonest: when the first of the keys is free again, and why it rests
select extract(epoch from rests_until - now())::float8 as seconds, rests_for
from model_key where hash = any(%(hashes)s) and disabled_at is null
order by rests_until nulls first limit 1

-- rest: nobody uses the key for so long
update model_key
set rests_until = greatest(rests_until, now() + make_interval(secs => %(seconds)s)), rests_for = %(failure)s
where hash = %(hash)s

-- disable: the key is not valid
update model_key set disabled_at = coalesce(disabled_at, now()), disabled_for = %(why)s where hash = %(hash)s

-- enable: the key works
update model_key set disabled_at = null, disabled_for = '', rests_until = null, rests_for = '' where hash = %(hash)s

-- states: what is known of the keys
select hash, taken, case when disabled_at is not null then 'disabled' when rests_until > now() then 'resting'
                         else 'free' end as state,
       case when disabled_at is not null then disabled_for when rests_until > now() then rests_for else '' end as why
from model_key where hash = any(%(hashes)s) order by hash
