-- Old tool outputs are kept compressed: then `output` is NULL and `packed` has it.
ALTER TABLE tool_uses ADD COLUMN packed BLOB;

-- What was reported up to then was taken out to save room, and is not brought in again.
ALTER TABLE sessions ADD COLUMN purged_at INTEGER;

CREATE INDEX tool_uses_to_pack ON tool_uses(created_at) WHERE packed IS NULL AND length(output) > 1024;
