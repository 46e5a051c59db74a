-- What an agent may be about to touch or run, and which observations have something to say about it.
CREATE TABLE observation_keys (
  kind TEXT NOT NULL CHECK (kind IN ('file', 'command')),
  key TEXT NOT NULL,                              -- a path as in file_touches, or a command without its folder
  observation_id INTEGER NOT NULL REFERENCES observations(id) ON DELETE CASCADE,
  PRIMARY KEY (kind, key, observation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX observation_keys_by_observation ON observation_keys(observation_id);
INSERT OR IGNORE INTO observation_keys (kind, key, observation_id)
  SELECT 'file', f.value, o.id FROM observations o, json_each(o.files) f WHERE f.type = 'text';

-- How often what a surface shows is used decides how much it says.
CREATE INDEX injections_by_surface ON injections(surface, created_at);
