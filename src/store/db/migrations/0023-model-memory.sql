-- A session can have several summaries of one producer. Those by a model, or by the agent itself, have a title and a
-- handover for the next session.
CREATE TABLE new_summaries (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,                 -- 0: of the whole session
  last_prompt INTEGER NOT NULL DEFAULT 0,         -- of the whole session by a model: the last turn that it covers
  title TEXT,
  subtitle TEXT,
  request TEXT NOT NULL,
  investigated TEXT NOT NULL,
  learned TEXT NOT NULL,
  completed TEXT NOT NULL,
  next_steps TEXT NOT NULL,
  files_read TEXT NOT NULL,                       -- JSON array of paths
  files_edited TEXT NOT NULL,                     -- JSON array of paths
  notes TEXT NOT NULL,
  handover TEXT NOT NULL DEFAULT '[]',            -- JSON array of lines
  evidence TEXT NOT NULL,                         -- JSON array of item ids
  producer TEXT NOT NULL,
  prompt_hash TEXT,
  is_current INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  UNIQUE (session_db_id, prompt_number, producer, last_prompt)
) STRICT;
INSERT INTO new_summaries (id, session_db_id, prompt_number, request, investigated, learned, completed, next_steps,
    files_read, files_edited, notes, evidence, producer, prompt_hash, is_current, created_at)
  SELECT id, session_db_id, prompt_number, request, investigated, learned, completed, next_steps,
    files_read, files_edited, notes, evidence, producer, prompt_hash, is_current, created_at FROM summaries;
DROP TABLE summaries;
ALTER TABLE new_summaries RENAME TO summaries;

-- The model that superseded an observation. NULL: a user did, or a newer observation with the same subject.
ALTER TABLE observations ADD COLUMN superseded_producer TEXT;
-- When later evidence last confirmed it.
ALTER TABLE observations ADD COLUMN confirmed_at INTEGER;

-- Turns that wait for a model. Several of a session are sent in one request.
CREATE TABLE model_turns (
  prompt_db_id INTEGER PRIMARY KEY REFERENCES prompts(id) ON DELETE CASCADE,
  enqueued_at INTEGER NOT NULL,
  failed_at INTEGER                               -- no usable reply: not sent again unless the turn changes
) STRICT;

-- Replies of models, from their arrival until they are saved as memory: after a crash no request is paid for twice.
CREATE TABLE model_replies (
  request_hash TEXT PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  reply TEXT NOT NULL,                            -- JSON
  created_at INTEGER NOT NULL
) STRICT;

-- Next steps of a session that are done. They stay hidden in the summaries of turns that began before, also when these
-- are derived again.
CREATE TABLE closed_steps (
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  hash TEXT NOT NULL,                             -- of the step's words
  closed_by INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session that did it
  producer TEXT NOT NULL,
  done_at INTEGER NOT NULL,                       -- when the turn that did it ended
  PRIMARY KEY (session_db_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX closed_steps_by_closer ON closed_steps(closed_by);

-- Input tokens that the provider read from or wrote to its prompt cache, and how many parts of a reply passed the checks.
ALTER TABLE ledger ADD COLUMN cache_read_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;

-- One job per session instead of one per turn. The worker enqueues it when it finds waiting turns.
INSERT OR IGNORE INTO model_turns
  SELECT p.id, j.created_at, NULL FROM jobs j JOIN prompts p ON j.key = 'enrich:' || p.id
  WHERE j.kind = 'enrich' AND j.status IN ('pending', 'running');
DELETE FROM jobs WHERE kind = 'enrich';
