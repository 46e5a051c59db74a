-- Injected items that a user marked as wrong or useless. They are not injected again.
CREATE TABLE wrong_items (
  id INTEGER PRIMARY KEY,
  project_id INTEGER REFERENCES projects(id) ON DELETE CASCADE, -- NULL for an observation of all projects
  item TEXT NOT NULL UNIQUE,                      -- "o12", "p3", "m4", "t56", "session:7"
  content_hash TEXT,                              -- of an observation: one derived again with this content stays marked
  created_at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER sessions_wrong_items AFTER DELETE ON sessions BEGIN
  DELETE FROM wrong_items WHERE item = 'session:' || old.id;
END;
