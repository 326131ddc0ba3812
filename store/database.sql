-- configure: every stamp comes back in UTC, whatever the server prefers
set timezone to 'UTC'
