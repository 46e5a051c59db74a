-- Memory: what was worth knowing of the evidence. Every row names its evidence and its producer; all but what a person
-- wrote or changed can be deleted and derived again.

CREATE TABLE observations (
  id INTEGER PRIMARY KEY,
  project_id INTEGER REFERENCES projects(id),     -- NULL: holds for every project
  session_db_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- NULL: remembered by hand, outside any session
  prompt_number INTEGER,
  type TEXT NOT NULL CHECK (type IN ('decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change')),
  title TEXT NOT NULL,
  subtitle TEXT,
  narrative TEXT NOT NULL,
  facts TEXT NOT NULL,                            -- JSON array of sentences
  concepts TEXT NOT NULL,                         -- JSON array: how-it-works, why-it-exists, what-changed, ...
  files TEXT NOT NULL,                            -- JSON array of paths as in file_touches
  evidence TEXT NOT NULL,                         -- JSON array of item ids: "p12", "m34", "t56"
  origin TEXT NOT NULL CHECK (origin IN ('user', 'assistant', 'tool')), -- whose words it rests on: how far to trust it
  subject TEXT,                                   -- what it is about; of two with one subject the newer replaces the older
  producer TEXT NOT NULL,                         -- 'extractor', 'user', or '<provider>/<model>'
  prompt_hash TEXT,                               -- of the prompt a model was given
  content_hash TEXT NOT NULL,                     -- of what was derived; an edit does not change it
  is_current INTEGER NOT NULL DEFAULT 1,          -- 0: another producer's version of the same turn stands
  pinned INTEGER NOT NULL DEFAULT 0,
  edited_at INTEGER,
  superseded_by INTEGER REFERENCES observations(id) ON DELETE SET NULL,
  superseded_at INTEGER,                          -- when a person said so; NULL: settled by subject
  valid_from INTEGER NOT NULL,
  valid_to INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX observations_by_turn ON observations(session_db_id, prompt_number);
CREATE INDEX observations_by_project ON observations(project_id, valid_from);
CREATE INDEX observations_by_subject ON observations(project_id, subject) WHERE subject IS NOT NULL;
CREATE INDEX observations_by_successor ON observations(superseded_by) WHERE superseded_by IS NOT NULL;

-- One row per turn, and one rolling over the whole session (prompt_number 0).
CREATE TABLE summaries (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  request TEXT NOT NULL,
  investigated TEXT NOT NULL,
  learned TEXT NOT NULL,
  completed TEXT NOT NULL,
  next_steps TEXT NOT NULL,
  files_read TEXT NOT NULL,                       -- JSON array of paths
  files_edited TEXT NOT NULL,                     -- JSON array of paths
  notes TEXT NOT NULL,
  evidence TEXT NOT NULL,                         -- JSON array of item ids
  producer TEXT NOT NULL,
  prompt_hash TEXT,
  is_current INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  UNIQUE (session_db_id, prompt_number, producer)
) STRICT;

-- What the agent itself calls a session is kept apart: title and subtitle are derived.
ALTER TABLE sessions ADD COLUMN agent_title TEXT;
UPDATE sessions SET agent_title = subtitle, subtitle = NULL WHERE parent_session_db_id IS NULL;

-- Turns whose evidence has changed since memory was derived from it.
CREATE TABLE stale_memory (
  prompt_db_id INTEGER PRIMARY KEY REFERENCES prompts(id) ON DELETE CASCADE
) STRICT;
INSERT INTO stale_memory SELECT id FROM prompts;

-- What the memory system itself spends. A request is entered before it is sent, at its estimate: a crash never hides a cost.
CREATE TABLE ledger (
  id INTEGER PRIMARY KEY,
  day TEXT NOT NULL,                              -- local date, YYYY-MM-DD
  project_id INTEGER REFERENCES projects(id),
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  purpose TEXT NOT NULL,                          -- 'turn', 'session', ...
  request_hash TEXT NOT NULL,                     -- of the whole question: one that was answered need not be asked again
  status TEXT NOT NULL CHECK (status IN ('reserved', 'spent', 'failed', 'declined')), -- declined: not sent, over the budget
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_microusd INTEGER,                          -- NULL: the price is not known
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_by_day ON ledger(day, project_id);
CREATE INDEX ledger_by_request ON ledger(request_hash);

-- Providers nobody asks for the time being: after a refused login until something changes, after a rate limit for a while.
CREATE TABLE model_pauses (
  fingerprint TEXT PRIMARY KEY,                   -- of provider, model, address and key, one way
  kind TEXT NOT NULL,                             -- 'auth', 'rate-limit', ...
  message TEXT NOT NULL,
  times INTEGER NOT NULL,                         -- how often in a row: pauses grow
  until INTEGER,                                  -- NULL: until settings or key change, or a person says so
  created_at INTEGER NOT NULL
) STRICT;

-- What was forgotten, by hashes that say nothing of what it was: a later sync does not bring it back.
CREATE TABLE tombstones (
  kind TEXT NOT NULL,                             -- 'session', 'prompt', 'message', 'tool-use', 'observation', ...
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, hash)
) STRICT, WITHOUT ROWID;

-- Work asked for again while it is being done is done once more; a lease belongs to the process that took it.
ALTER TABLE jobs ADD COLUMN owner TEXT;
ALTER TABLE jobs ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN done_at INTEGER;
ALTER TABLE jobs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0; -- how often a process died over it
-- Turns were jobs of their own once; a session's job does all that is stale now.
DELETE FROM jobs WHERE kind = 'turn';

-- The worker reads on in one session's files at a time.
CREATE INDEX sync_state_by_session ON sync_state(session_id);

CREATE VIRTUAL TABLE observations_fts USING fts5(scope, title, body, files,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');

-- Whatever deletes an observation, nothing of it stays findable: ids are given out again.
CREATE TRIGGER observations_gone AFTER DELETE ON observations BEGIN
  DELETE FROM observations_fts WHERE rowid = old.id;
  DELETE FROM links WHERE source_type = 'observation' AND source_id = 'o' || old.id;
  DELETE FROM links WHERE target_type = 'observation' AND target_id = 'o' || old.id;
END;

-- Every row of an index carries its day from here on, so that days can be asked for one by one: all are written anew.
INSERT INTO turns_fts (turns_fts) VALUES ('delete-all');
INSERT INTO tool_uses_fts (tool_uses_fts) VALUES ('delete-all');
UPDATE index_state SET last_id = 0;
INSERT OR IGNORE INTO stale_turns SELECT id FROM prompts;
