-- Files the agent kept a copy of before it changed them, by its own records: the only trace of some changes.
CREATE TABLE file_snapshots (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  path TEXT NOT NULL,                     -- as in file_touches
  kind TEXT NOT NULL CHECK (kind IN ('edit', 'create')),
  backup_version TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (session_db_id, path)
) STRICT;
CREATE INDEX file_snapshots_by_path ON file_snapshots(path);
