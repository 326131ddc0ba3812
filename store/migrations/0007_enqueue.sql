-- One job for each incident that asks for one, in one round trip.

create function fishbone_enqueue(incident text) returns boolean language plpgsql as $$
declare
    key text := 'incident:' || incident;
begin
    for try in 1..5 loop  -- a waiting job that is fetched between two looks was there and is not
        -- locks the incident's waiting job, so that no worker fetches it before what changed is committed
        perform from procrastinate_jobs where queueing_lock = key and status = 'todo' for update;
        if found then
            return false;
        end if;
        begin
            -- by procrastinate's own function; workers hear of it at the commit
            perform procrastinate_defer_jobs_v1(array[row(
                'fishbone', 'investigate', 0, key, key, jsonb_build_object('incident', incident), null
            )::procrastinate_job_to_defer_v1]);
            return true;
        exception when unique_violation then
            null;  -- another transaction was first, and has committed
        end;
    end loop;
    return false;
end;
$$;
