-- History: what transcripts add to the evidence of the hooks, and how far each file has been read.

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  prompt_id TEXT,
  uuid TEXT NOT NULL,                     -- the agent's own id of the message
  parent_uuid TEXT,
  role TEXT NOT NULL CHECK (role IN ('assistant', 'system', 'summary')),
  text TEXT NOT NULL,
  thinking TEXT,
  model TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cache_read_tokens INTEGER,
  cache_write_tokens INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (session_db_id, uuid)
) STRICT;
CREATE INDEX messages_by_turn ON messages(session_db_id, prompt_number);
CREATE INDEX messages_by_prompt_id ON messages(prompt_id) WHERE prompt_id IS NOT NULL;

-- Ids are text: a session's is the agent's own, so that a link may name what has not been read yet.
CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  source_type TEXT NOT NULL,
  source_id TEXT NOT NULL,
  target_type TEXT NOT NULL,
  target_id TEXT NOT NULL,
  relationship TEXT NOT NULL CHECK (relationship IN ('mentions', 'related_to', 'continues', 'references', 'fixes', 'supersedes')),
  weight REAL NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  UNIQUE (source_type, source_id, target_type, target_id, relationship)
) STRICT;
CREATE INDEX links_by_target ON links(target_type, target_id);

CREATE TABLE commits (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  sha TEXT NOT NULL,
  branch TEXT,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (session_db_id, sha)
) STRICT;
CREATE INDEX commits_by_sha ON commits(sha);

CREATE TABLE sync_state (
  path TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  byte_offset INTEGER NOT NULL,           -- everything before it is in the database
  line INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,              -- of the file's first bytes and of those before the offset
  state TEXT NOT NULL,                    -- the reader's, as JSON
  malformed INTEGER NOT NULL DEFAULT 0,
  synced_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX prompts_by_time ON prompts(session_db_id, created_at);
CREATE INDEX tool_uses_by_turn ON tool_uses(session_db_id, prompt_number);

-- Search. One row per turn (rowid = prompts.id) and one per tool use (rowid = tool_uses.id). Contentless: what is indexed is
-- prepared in code, and rows are deleted by rowid and written anew when a turn grows. Filled when somebody is about to
-- search and at the end of a sync, never by a hook.
DROP TABLE prompts_fts;
DROP TABLE tool_uses_fts;
DROP VIEW tool_uses_indexed;
CREATE VIRTUAL TABLE turns_fts USING fts5(scope, prompt, answer, calls,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE tool_uses_fts USING fts5(scope, input, output,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');

-- Turns that have changed since they were indexed, and the last tool use that was.
CREATE TABLE stale_turns (
  prompt_db_id INTEGER PRIMARY KEY REFERENCES prompts(id) ON DELETE CASCADE
) STRICT;
CREATE TABLE index_state (
  name TEXT PRIMARY KEY,
  last_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO index_state (name, last_id) VALUES ('tool_uses', 0);
INSERT INTO stale_turns SELECT id FROM prompts;
