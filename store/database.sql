-- configure: every stamp comes back in UTC, whatever the server prefers; and who is stopped (SIGSTOP, a frozen machine) in
-- the middle of a transaction loses its locks, so that whoever takes its work over need not wait for it
select set_config('timezone', 'UTC', false), set_config('idle_in_transaction_session_timeout', '10s', false)

-- time: of the server, which all hosts share
select clock_timestamp() as now
