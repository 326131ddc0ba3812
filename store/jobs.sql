-- enqueue: defers a job for each of the incidents that has none waiting; in order, so that two cannot wait for each other
select count(*) filter (where enqueued) as enqueued
from (
    select fishbone_enqueue(incident) as enqueued
    from (select distinct unnest(%(incidents)s::text[]) as incident order by incident offset 0) as asked
    offset 0 -- once for each
) as row

-- wake: workers look for jobs at the commit, not at their next poll
select pg_notify('procrastinate_queue_v1#' || %(queue)s, '{"type": "job_inserted", "job_id": 0}')

-- finish: ends a job that is still this worker's
select procrastinate_finish_job_v1(own.id, %(status)s::procrastinate_job_status, %(delete)s)
from (
    select id from procrastinate_jobs
    where id = %(id)s and worker_id = %(worker)s and attempts = %(attempts)s and status = 'doing'
    for update
) as own

-- give_back: returns a job that is still this worker's to the queue, unless another waits for the same incident; by the
-- server's clock, since a worker's may be hours ahead
select case
    when exists (
        select from procrastinate_jobs as other where other.queueing_lock = own.queueing_lock and other.status = 'todo'
    )
    then procrastinate_finish_job_v1(own.id, 'failed', true)
    else procrastinate_retry_job_v2(own.id, now() + make_interval(secs => %(seconds)s), null, null, null)
end
from (
    select id, queueing_lock from procrastinate_jobs
    where id = %(id)s and worker_id = %(worker)s and attempts = %(attempts)s and status = 'doing'
    for update
) as own

-- stalled: jobs whose worker is gone: neither it nor the investigation's lease was heard of for a lease's time
-- Nobody can be heard while the server is away, so after its start workers have a lease's time to come back.
select job.id, job.worker_id as worker, job.attempts, job.queueing_lock
from procrastinate_jobs as job
left join procrastinate_workers as worker on worker.id = job.worker_id
where job.status = 'doing' and job.task_name = %(task)s
      and (worker.id is null or worker.last_heartbeat < now() - make_interval(secs => %(lease_seconds)s))
      and not exists (
          select from investigation
          where incident_id = job.args ->> 'incident' and investigation.status = 'running' and lease_until > now()
      )
      and pg_postmaster_start_time() < now() - make_interval(secs => %(lease_seconds)s)
order by job.id
for update of job skip locked

-- waits: whether another job of the incident waits
select id from procrastinate_jobs where queueing_lock = %(lock)s and status = 'todo'

-- retry: a stalled job goes back to the queue
select procrastinate_retry_job_v2(%(id)s, now(), null, null, null)

-- drop: a stalled job whose work another one does
select procrastinate_finish_job_v1(%(id)s, 'failed', true)

-- counts: how all of the queue stands
select (select count(*) from incident where status = 'failed') as set_aside,
       (select count(*) from procrastinate_workers
        where last_heartbeat > now() - make_interval(secs => %(lease_seconds)s)) as workers

-- lines: and each of its lines, also an empty one
select line, count(job.id) filter (where job.status = 'todo') as waiting,
       count(job.id) filter (where job.status = 'doing') as running,
       coalesce(extract(epoch from now() - min(came.at) filter (where job.status = 'todo')), 0)::float8 as oldest_seconds
from unnest(%(queues)s::text[]) as line
left join procrastinate_jobs as job
     on job.queue_name = line and job.task_name = %(task)s and job.status in ('todo', 'doing')
left join lateral (
    select min(event.at) as at from procrastinate_events as event where event.job_id = job.id and event.type = 'deferred'
) as came on true
group by line

-- set_aside: the incidents that are not tried again by themselves
select id, title, crashes from incident where status = 'failed' order by created_at desc, id
