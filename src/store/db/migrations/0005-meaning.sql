-- Meaning: vectors of turns and observations, by the model that made them. Derived: all of it can be made again.

CREATE TABLE embedding_models (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,                      -- the embedder's id: only vectors of one model can be compared
  dimensions INTEGER NOT NULL,
  is_wanted INTEGER NOT NULL,                     -- 0: serves only until the vectors of the wanted one are there
  created_at INTEGER NOT NULL
) STRICT;

-- Vectors side by side, 128 to a chunk: row by row, loading takes four times as long.
CREATE TABLE vector_chunks (
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  revision INTEGER NOT NULL,                      -- changes with every write
  owners BLOB NOT NULL,                           -- for each vector its session, 0 for none, as 32 bits
  records BLOB NOT NULL,
  PRIMARY KEY (model_id, number)
) STRICT;

-- What each place in the chunks holds. Without an item: free, to be written over.
CREATE TABLE vectors (
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  place INTEGER NOT NULL,                         -- chunk * 128 + number within
  kind TEXT CHECK (kind IN ('turn', 'observation')),
  item_id INTEGER,                                -- prompts.id or observations.id
  PRIMARY KEY (model_id, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX vectors_by_item ON vectors(kind, item_id) WHERE item_id IS NOT NULL;
CREATE INDEX vectors_free ON vectors(model_id, place) WHERE item_id IS NULL;

-- What has no vector yet, or one of other words.
CREATE TABLE stale_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,           -- another one for every change: one that comes meanwhile is not overlooked
  kind TEXT NOT NULL CHECK (kind IN ('turn', 'observation')),
  item_id INTEGER NOT NULL,
  at INTEGER NOT NULL,                            -- the newest are embedded first
  UNIQUE (kind, item_id)
) STRICT;

CREATE INDEX stale_vectors_newest ON stale_vectors(at);

INSERT INTO stale_vectors (kind, item_id, at) SELECT 'turn', id, created_at FROM prompts;
INSERT INTO stale_vectors (kind, item_id, at) SELECT 'observation', id, valid_from FROM observations;

CREATE TRIGGER observations_to_embed AFTER INSERT ON observations BEGIN
  INSERT OR REPLACE INTO stale_vectors (kind, item_id, at) VALUES ('observation', new.id, new.valid_from);
END;

CREATE TRIGGER observations_to_embed_anew AFTER UPDATE OF title, subtitle, narrative, facts, is_current ON observations
WHEN new.title <> old.title OR new.subtitle IS NOT old.subtitle OR new.narrative <> old.narrative OR new.facts <> old.facts
  OR new.is_current <> old.is_current BEGIN
  INSERT OR REPLACE INTO stale_vectors (kind, item_id, at) VALUES ('observation', new.id, new.valid_from);
END;

-- Ids are given out again: nothing may be taken for the vector of what gets one of them.
CREATE TRIGGER observations_vectors_gone AFTER DELETE ON observations BEGIN
  UPDATE vectors SET kind = NULL, item_id = NULL WHERE kind = 'observation' AND item_id = old.id;
  DELETE FROM stale_vectors WHERE kind = 'observation' AND item_id = old.id;
END;

CREATE TRIGGER prompts_vectors_gone AFTER DELETE ON prompts BEGIN
  UPDATE vectors SET kind = NULL, item_id = NULL WHERE kind = 'turn' AND item_id = old.id;
  DELETE FROM stale_vectors WHERE kind = 'turn' AND item_id = old.id;
END;
