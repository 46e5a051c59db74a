CREATE INDEX changes_by_path ON file_touches(path, created_at, session_db_id) WHERE kind <> 'read';

CREATE INDEX closed_steps_by_closer ON closed_steps(closed_by);

CREATE INDEX commits_by_sha ON commits(sha);

CREATE INDEX file_snapshots_by_path ON file_snapshots(path);

CREATE INDEX file_touches_by_path ON file_touches(path);

CREATE INDEX file_touches_by_session ON file_touches(session_db_id, kind);

CREATE INDEX injections_by_session ON injections(session_db_id);

CREATE INDEX injections_by_surface ON injections(surface, created_at);

CREATE INDEX jobs_due ON jobs(status, run_after);

CREATE INDEX jobs_of_kind ON jobs(kind, status, run_after);

CREATE INDEX ledger_by_day ON ledger(day, project_id);

CREATE INDEX ledger_by_request ON ledger(request_hash);

CREATE INDEX links_by_target ON links(target_type, target_id, created_at);

CREATE INDEX messages_by_prompt_id ON messages(prompt_id) WHERE prompt_id IS NOT NULL;

CREATE INDEX messages_by_turn ON messages(session_db_id, prompt_number);

CREATE INDEX messages_sums ON messages(session_db_id, created_at, octet_length(text), octet_length(thinking),
  input_tokens, output_tokens, cache_read_tokens, cache_write_tokens);

CREATE INDEX observation_keys_by_observation ON observation_keys(observation_id);

CREATE INDEX observations_by_project ON observations(project_id, valid_from);

CREATE INDEX observations_by_subject ON observations(project_id, subject) WHERE subject IS NOT NULL;

CREATE INDEX observations_by_successor ON observations(superseded_by) WHERE superseded_by IS NOT NULL;

CREATE INDEX observations_by_turn ON observations(session_db_id, prompt_number);

CREATE INDEX observations_newest ON observations(valid_from, id) WHERE is_current = 1;

CREATE INDEX prompts_by_agent_id ON prompts(prompt_id) WHERE prompt_id IS NOT NULL;

CREATE UNIQUE INDEX prompts_by_prompt_id ON prompts(session_db_id, prompt_id) WHERE prompt_id IS NOT NULL;

CREATE INDEX prompts_by_time ON prompts(session_db_id, created_at);

CREATE INDEX sessions_active ON sessions(last_at) WHERE status = 'active';

CREATE INDEX sessions_by_parent ON sessions(parent_session_db_id) WHERE parent_session_db_id IS NOT NULL;

CREATE INDEX sessions_by_project ON sessions(project_id, last_at);

CREATE INDEX sessions_by_start ON sessions(project_id, started_at);

CREATE INDEX stale_vectors_newest ON stale_vectors(at);

CREATE INDEX sync_state_by_session ON sync_state(session_id);

CREATE INDEX sync_state_marks ON sync_state(path, size, mtime);

CREATE INDEX sync_state_private ON sync_state(session_id) WHERE instr(state, 'Ids":["') > 0;

CREATE INDEX tool_uses_by_prompt_id ON tool_uses(prompt_id) WHERE prompt_id IS NOT NULL;

CREATE INDEX tool_uses_by_turn ON tool_uses(session_db_id, prompt_number);

CREATE INDEX tool_uses_sums ON tool_uses(session_db_id, created_at, name, is_error, octet_length(input), octet_length(output), octet_length(packed));

CREATE INDEX tool_uses_to_pack ON tool_uses(created_at) WHERE packed IS NULL AND length(output) > 1024;

CREATE INDEX vectors_by_item ON vectors(kind, item_id) WHERE item_id IS NOT NULL;

CREATE INDEX vectors_free ON vectors(model_id, place) WHERE item_id IS NULL;

CREATE TABLE closed_steps (
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  hash TEXT NOT NULL,                             -- of the step's words
  closed_by INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session that did it
  producer TEXT NOT NULL,
  done_at INTEGER NOT NULL,                       -- when the turn that did it ended
  PRIMARY KEY (session_db_id, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE commits (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  sha TEXT NOT NULL,
  branch TEXT,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL, basis TEXT NOT NULL DEFAULT 'output', confidence REAL NOT NULL DEFAULT 1, author TEXT, pull_request INTEGER,
  UNIQUE (session_db_id, sha)
) STRICT;

CREATE TABLE drops (
  name TEXT PRIMARY KEY,
  applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE embedding_models (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,                      -- the embedder's id: only vectors of one model can be compared
  dimensions INTEGER NOT NULL,
  is_wanted INTEGER NOT NULL,                     -- 0: serves only until the vectors of the wanted one are there
  created_at INTEGER NOT NULL
) STRICT;

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

CREATE TABLE hook_runs (
  hook TEXT PRIMARY KEY,
  last_at INTEGER NOT NULL,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE index_state (
  name TEXT PRIMARY KEY,
  last_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
, owner TEXT, again INTEGER NOT NULL DEFAULT 0, done_at INTEGER, deaths INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE last_ids (
  name TEXT PRIMARY KEY,                          -- of the table
  last_id INTEGER NOT NULL                        -- the highest id of a row that is gone
) STRICT, WITHOUT ROWID;

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
, is_estimate INTEGER NOT NULL DEFAULT 0, likely_input_tokens INTEGER, likely_output_tokens INTEGER, likely_cost_microusd INTEGER, cache_read_tokens INTEGER NOT NULL DEFAULT 0, cache_write_tokens INTEGER NOT NULL DEFAULT 0, kept INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0) STRICT;

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

CREATE TABLE migrations (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, breaking INTEGER NOT NULL, applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE model_pauses (
  fingerprint TEXT PRIMARY KEY,                   -- of provider, model, address and key, one way
  kind TEXT NOT NULL,                             -- 'auth', 'rate-limit', ...
  message TEXT NOT NULL,
  times INTEGER NOT NULL,                         -- how often in a row: pauses grow
  until INTEGER,                                  -- NULL: until settings or key change, or a person says so
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE model_replies (
  request_hash TEXT PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  reply TEXT NOT NULL,                            -- JSON
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE model_turns (
  prompt_db_id INTEGER PRIMARY KEY REFERENCES prompts(id) ON DELETE CASCADE,
  enqueued_at INTEGER NOT NULL,
  failed_at INTEGER                               -- no usable reply: not sent again unless the turn changes
) STRICT;

CREATE TABLE observation_keys (
  kind TEXT NOT NULL CHECK (kind IN ('file', 'command')),
  key TEXT NOT NULL,                              -- a path as in file_touches, or a command without its folder
  observation_id INTEGER NOT NULL REFERENCES observations(id) ON DELETE CASCADE,
  PRIMARY KEY (kind, key, observation_id)
) STRICT, WITHOUT ROWID;

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
, files_read TEXT NOT NULL DEFAULT '[]', files_modified TEXT NOT NULL DEFAULT '[]', superseded_producer TEXT, confirmed_at INTEGER) STRICT;

CREATE VIRTUAL TABLE observations_fts USING fts5(scope, title, body, files,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');

CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,               -- normalised git remote, else git root, else folder
  name TEXT NOT NULL,
  root TEXT NOT NULL,
  remote TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE prompts (
  id INTEGER PRIMARY KEY,
  session_db_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  prompt_number INTEGER NOT NULL,
  prompt_id TEXT,                         -- the agent's own id of the prompt
  text TEXT NOT NULL,
  response TEXT,                          -- the assistant's last message of the turn
  created_at INTEGER NOT NULL,
  ended_at INTEGER, is_interrupted INTEGER NOT NULL DEFAULT 0, checkpoint_at INTEGER,
  UNIQUE (session_db_id, prompt_number)
) STRICT;

CREATE VIRTUAL TABLE prompts_trigram USING fts5(text, content='prompts', content_rowid='id', tokenize='trigram');

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
, agent_title TEXT, plan TEXT, forked_from TEXT, purged_at INTEGER) STRICT;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE stale_beside (
  prompt_db_id INTEGER PRIMARY KEY REFERENCES prompts(id) ON DELETE CASCADE
) STRICT;

CREATE TABLE stale_links (
  session_db_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  changed_from INTEGER                    -- its evidence has changed from here on: sessions that began later may have other links, too
) STRICT;

CREATE TABLE stale_memory (
  prompt_db_id INTEGER PRIMARY KEY REFERENCES prompts(id) ON DELETE CASCADE
) STRICT;

CREATE TABLE stale_thinking (
  message_db_id INTEGER PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE
) STRICT;

CREATE TABLE stale_turns (
  prompt_db_id INTEGER PRIMARY KEY REFERENCES prompts(id) ON DELETE CASCADE
) STRICT;

CREATE TABLE stale_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,           -- another one for every change: one that comes meanwhile is not overlooked
  kind TEXT NOT NULL CHECK (kind IN ('turn', 'observation')),
  item_id INTEGER NOT NULL,
  at INTEGER NOT NULL,                            -- the newest are embedded first
  UNIQUE (kind, item_id)
) STRICT;

CREATE TABLE "summaries" (
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

CREATE VIRTUAL TABLE thinking_fts USING fts5(scope, thinking,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');

CREATE TABLE tombstones (
  kind TEXT NOT NULL,                             -- 'session', 'prompt', 'message', 'tool-use', 'observation', ...
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, hash)
) STRICT, WITHOUT ROWID;

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
  created_at INTEGER NOT NULL, packed BLOB,
  UNIQUE (session_db_id, tool_use_id)
) STRICT;

CREATE VIRTUAL TABLE tool_uses_fts USING fts5(scope, input, output,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');

CREATE VIRTUAL TABLE turns_fts USING fts5(scope, prompt, answer, calls, beside,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');

CREATE TABLE vector_chunks (
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  revision INTEGER NOT NULL,                      -- changes with every write
  owners BLOB NOT NULL,                           -- for each vector its session, 0 for none, as 32 bits
  records BLOB NOT NULL,
  PRIMARY KEY (model_id, number)
) STRICT;

CREATE TABLE vector_codes (
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,                        -- as in vector_chunks
  revision INTEGER NOT NULL,                      -- of the chunk they were made of: about a later one they say nothing
  codes BLOB NOT NULL,
  PRIMARY KEY (model_id, number)
) STRICT;

CREATE TABLE vectors (
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  place INTEGER NOT NULL,                         -- chunk * 128 + number within
  kind TEXT CHECK (kind IN ('turn', 'observation')),
  item_id INTEGER,                                -- prompts.id or observations.id
  PRIMARY KEY (model_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE wrong_items (
  id INTEGER PRIMARY KEY,
  project_id INTEGER REFERENCES projects(id) ON DELETE CASCADE, -- NULL for an observation of all projects
  item TEXT NOT NULL UNIQUE,                      -- "o12", "p3", "m4", "t56", "session:7"
  content_hash TEXT,                              -- of an observation: one derived again with this content stays marked
  created_at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER messages_last_id AFTER DELETE ON messages
WHEN old.id > coalesce((SELECT max(id) FROM messages), 0) BEGIN
  INSERT INTO last_ids VALUES ('messages', old.id)
  ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id);
END;

CREATE TRIGGER observations_gone AFTER DELETE ON observations BEGIN
  DELETE FROM observations_fts WHERE rowid = old.id;
  DELETE FROM links WHERE source_type = 'observation' AND source_id = 'o' || old.id;
  DELETE FROM links WHERE target_type = 'observation' AND target_id = 'o' || old.id;
END;

CREATE TRIGGER observations_last_id AFTER DELETE ON observations
WHEN old.id > coalesce((SELECT max(id) FROM observations), 0) BEGIN
  INSERT INTO last_ids VALUES ('observations', old.id)
  ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id);
END;

CREATE TRIGGER observations_to_embed AFTER INSERT ON observations BEGIN
  INSERT OR REPLACE INTO stale_vectors (kind, item_id, at) VALUES ('observation', new.id, new.valid_from);
END;

CREATE TRIGGER observations_to_embed_anew AFTER UPDATE OF title, subtitle, narrative, facts, is_current ON observations
WHEN new.title <> old.title OR new.subtitle IS NOT old.subtitle OR new.narrative <> old.narrative OR new.facts <> old.facts
  OR new.is_current <> old.is_current BEGIN
  INSERT OR REPLACE INTO stale_vectors (kind, item_id, at) VALUES ('observation', new.id, new.valid_from);
END;

CREATE TRIGGER observations_vectors_gone AFTER DELETE ON observations BEGIN
  UPDATE vectors SET kind = NULL, item_id = NULL WHERE kind = 'observation' AND item_id = old.id;
  DELETE FROM stale_vectors WHERE kind = 'observation' AND item_id = old.id;
END;

CREATE TRIGGER prompts_copies AFTER DELETE ON prompts WHEN old.prompt_id IS NOT NULL BEGIN
  INSERT OR IGNORE INTO stale_memory SELECT id FROM prompts WHERE prompt_id = old.prompt_id;
END;

CREATE TRIGGER prompts_last_id AFTER DELETE ON prompts
WHEN old.id > coalesce((SELECT max(id) FROM prompts), 0) BEGIN
  INSERT INTO last_ids VALUES ('prompts', old.id)
  ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id);
END;

CREATE TRIGGER prompts_vectors_gone AFTER DELETE ON prompts BEGIN
  UPDATE vectors SET kind = NULL, item_id = NULL WHERE kind = 'turn' AND item_id = old.id;
  DELETE FROM stale_vectors WHERE kind = 'turn' AND item_id = old.id;
END;

CREATE TRIGGER sessions_wrong_items AFTER DELETE ON sessions BEGIN
  DELETE FROM wrong_items WHERE item = 'session:' || old.id;
END;

CREATE TRIGGER thinking_gone AFTER DELETE ON messages WHEN old.thinking <> '' BEGIN
  DELETE FROM thinking_fts WHERE rowid = old.id;
END;

CREATE TRIGGER thinking_to_index AFTER INSERT ON messages WHEN new.thinking <> '' BEGIN
  INSERT OR IGNORE INTO stale_thinking VALUES (new.id);
END;

CREATE TRIGGER thinking_to_index_again AFTER UPDATE OF thinking ON messages WHEN new.thinking IS NOT old.thinking BEGIN
  DELETE FROM thinking_fts WHERE rowid = new.id;
  INSERT OR IGNORE INTO stale_thinking SELECT new.id WHERE new.thinking <> '';
END;

CREATE TRIGGER tool_uses_last_id AFTER DELETE ON tool_uses
WHEN old.id > coalesce((SELECT max(id) FROM tool_uses), 0) BEGIN
  INSERT INTO last_ids VALUES ('tool_uses', old.id)
  ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id);
END;
