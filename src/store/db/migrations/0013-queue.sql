-- A long queue of one kind of job is not walked past by who asks for another.
CREATE INDEX jobs_of_kind ON jobs(kind, status, run_after);
