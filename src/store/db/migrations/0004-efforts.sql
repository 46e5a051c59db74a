-- Links are derived like all memory: from rows that stay, for the sessions marked here.
CREATE TABLE stale_links (
  session_db_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  changed_from INTEGER                    -- its evidence has changed from here on: sessions that began later may have other links, too
) STRICT;

-- The agent's own word for what a session goes on with.
ALTER TABLE sessions ADD COLUMN plan TEXT;        -- the name of the plan it works on; handed on to the session that carries it out
ALTER TABLE sessions ADD COLUMN forked_from TEXT; -- the session_id its history was copied from

CREATE INDEX sessions_by_start ON sessions(project_id, started_at);
CREATE INDEX changes_by_path ON file_touches(path, created_at, session_db_id) WHERE kind <> 'read';
DROP INDEX links_by_target;
CREATE INDEX links_by_target ON links(target_type, target_id, created_at);

-- What capture has linked so far is made again.
DELETE FROM links WHERE source_type = 'session';
INSERT INTO stale_links SELECT id, NULL FROM sessions WHERE parent_session_db_id IS NULL AND prompt_count > 0;
