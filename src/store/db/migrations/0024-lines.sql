-- Commits that carry a session's work but were not made in it: by hand, amended, rebased or squashed.
ALTER TABLE commits ADD COLUMN basis TEXT NOT NULL DEFAULT 'output'; -- how it was linked; 'output': git printed it in the session
ALTER TABLE commits ADD COLUMN confidence REAL NOT NULL DEFAULT 1;
ALTER TABLE commits ADD COLUMN author TEXT;
ALTER TABLE commits ADD COLUMN pull_request INTEGER;

-- The commits of each project's repository that were compared with its sessions.
CREATE TABLE read_commits (
  project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  committed_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, sha)
) STRICT, WITHOUT ROWID;

CREATE TABLE repository_reads (
  project_id INTEGER PRIMARY KEY REFERENCES projects(id) ON DELETE CASCADE,
  refs_hash TEXT NOT NULL,                -- of all branches and their commits: while it is the same, no commit is new
  last_touch_id INTEGER NOT NULL,         -- of file_touches: later ones may explain commits that were read before
  read_at INTEGER NOT NULL
) STRICT;
