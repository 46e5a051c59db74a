-- Ids that users see are never given twice, also after the newest row was forgotten.
CREATE TABLE last_ids (
  name TEXT PRIMARY KEY,                          -- of the table
  last_id INTEGER NOT NULL                        -- the highest id of a row that is gone
) STRICT, WITHOUT ROWID;

CREATE TRIGGER observations_last_id AFTER DELETE ON observations
WHEN old.id > coalesce((SELECT max(id) FROM observations), 0) BEGIN
  INSERT INTO last_ids VALUES ('observations', old.id)
  ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id);
END;

CREATE TRIGGER prompts_last_id AFTER DELETE ON prompts
WHEN old.id > coalesce((SELECT max(id) FROM prompts), 0) BEGIN
  INSERT INTO last_ids VALUES ('prompts', old.id)
  ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id);
END;

CREATE TRIGGER messages_last_id AFTER DELETE ON messages
WHEN old.id > coalesce((SELECT max(id) FROM messages), 0) BEGIN
  INSERT INTO last_ids VALUES ('messages', old.id)
  ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id);
END;

CREATE TRIGGER tool_uses_last_id AFTER DELETE ON tool_uses
WHEN old.id > coalesce((SELECT max(id) FROM tool_uses), 0) BEGIN
  INSERT INTO last_ids VALUES ('tool_uses', old.id)
  ON CONFLICT (name) DO UPDATE SET last_id = max(last_id, excluded.last_id);
END;

-- What a question took is an estimate where the server reported nothing; a reservation that is never settled becomes one.
ALTER TABLE ledger ADD COLUMN is_estimate INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN likely_input_tokens INTEGER;
ALTER TABLE ledger ADD COLUMN likely_output_tokens INTEGER;
ALTER TABLE ledger ADD COLUMN likely_cost_microusd INTEGER;
