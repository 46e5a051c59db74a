-- Evidence: what happened, word for word after privacy filtering. All times are integer milliseconds.

CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,               -- normalised git remote, else git root, else folder
  name TEXT NOT NULL,
  root TEXT NOT NULL,
  remote TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE,        -- the agent's own id; a subagent's is "agent-<id>"
  agent TEXT NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects(id),
  parent_session_db_id INTEGER REFERENCES sessions(id),
  title TEXT,
  subtitle TEXT,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed', 'interrupted', 'failed')),
  prompt_count INTEGER NOT NULL DEFAULT 0,
  model TEXT,
  version TEXT,
  git_branch TEXT,
  cwd TEXT NOT NULL,
  transcript_path TEXT,
  report TEXT,                            -- a subagent's last words
  started_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT
) STRICT;
CREATE INDEX sessions_by_project ON sessions(project_id, last_at);
CREATE INDEX sessions_by_parent ON sessions(parent_session_db_id) WHERE parent_session_db_id IS NOT NULL;

CREATE TABLE prompts (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  prompt_id TEXT,                         -- the agent's own id of the prompt
  text TEXT NOT NULL,
  response TEXT,                          -- the assistant's last message of the turn
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  UNIQUE (session_db_id, prompt_number)
) STRICT;
CREATE UNIQUE INDEX prompts_by_prompt_id ON prompts(session_db_id, prompt_id) WHERE prompt_id IS NOT NULL;

CREATE TABLE tool_uses (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,         -- the turn; a subagent's tool use has its parent's turn
  prompt_id TEXT,
  tool_use_id TEXT NOT NULL,
  agent_id TEXT,                          -- set inside a subagent
  agent_type TEXT,
  name TEXT NOT NULL,
  input TEXT NOT NULL,                    -- JSON
  output TEXT,
  is_error INTEGER NOT NULL,
  exit_code INTEGER,
  duration_ms INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (session_db_id, tool_use_id)
) STRICT;
CREATE INDEX tool_uses_by_prompt_id ON tool_uses(prompt_id) WHERE prompt_id IS NOT NULL;

CREATE TABLE file_touches (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  tool_use_db_id INTEGER NOT NULL REFERENCES tool_uses(id) ON DELETE CASCADE,
  path TEXT NOT NULL,                     -- inside the project: relative to its root, with "/"; outside: absolute
  kind TEXT NOT NULL CHECK (kind IN ('read', 'edit', 'create')),
  added INTEGER,
  removed INTEGER,
  backup_version TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (tool_use_db_id, path)
) STRICT;
CREATE INDEX file_touches_by_session ON file_touches(session_db_id, kind);
CREATE INDEX file_touches_by_path ON file_touches(path);

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'done', 'failed')),
  lease_until INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  run_after INTEGER NOT NULL,
  last_error TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_due ON jobs(status, run_after);

CREATE TABLE injections (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  surface TEXT NOT NULL,                  -- where it was shown: session-start, ...
  item_ids TEXT NOT NULL,                 -- JSON array, e.g. ["session:12"]
  chars INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cited INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX injections_by_session ON injections(session_db_id);

-- Names of spool files whose rows are committed but whose file may still be there: makes the drain exactly-once.
CREATE TABLE drops (
  name TEXT PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- When each hook last fired, for `status` and `doctor`.
CREATE TABLE hook_runs (
  hook TEXT PRIMARY KEY,
  last_at INTEGER NOT NULL,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Search. External content, filled by the store's own code: triggers halve the rate of ingest.
CREATE VIRTUAL TABLE prompts_fts USING fts5(text, response, content='prompts', content_rowid='id', tokenize='porter unicode61');
CREATE VIRTUAL TABLE prompts_trigram USING fts5(text, content='prompts', content_rowid='id', tokenize='trigram');

-- Only the first part of a tool's input and output is indexed; the rows keep the whole.
CREATE VIEW tool_uses_indexed AS
  SELECT id, name, substr(input, 1, 4096) AS input, substr(output, 1, 2048) AS output FROM tool_uses;
CREATE VIRTUAL TABLE tool_uses_fts USING fts5(name, input, output, content='tool_uses_indexed', content_rowid='id', tokenize='porter unicode61');
