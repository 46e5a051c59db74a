-- Whether a turn runs is asked whenever something was written.
CREATE INDEX sessions_active ON sessions(last_at) WHERE status = 'active';
