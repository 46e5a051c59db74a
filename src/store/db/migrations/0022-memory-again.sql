-- Finds the copies of a turn in other sessions. If one is deleted, memory is derived from another.
CREATE INDEX prompts_by_agent_id ON prompts(prompt_id) WHERE prompt_id IS NOT NULL;
CREATE TRIGGER prompts_copies AFTER DELETE ON prompts WHEN old.prompt_id IS NOT NULL BEGIN
  INSERT OR IGNORE INTO stale_memory SELECT id FROM prompts WHERE prompt_id = old.prompt_id;
END;

-- All memory is derived again, by a better extractor. Until then, the old one's decisions and notes about errors, most
-- of which were wrong, are not injected, except those that a user pinned, edited or superseded.
INSERT OR IGNORE INTO stale_memory SELECT id FROM prompts;
INSERT OR IGNORE INTO stale_links SELECT id, NULL FROM sessions WHERE parent_session_db_id IS NULL AND prompt_count > 0;
UPDATE observations SET is_current = 0
WHERE producer = 'extractor' AND (type = 'decision' OR subject LIKE 'error:%')
  AND pinned = 0 AND edited_at IS NULL AND superseded_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM observations older
    WHERE older.superseded_by = observations.id AND older.superseded_at IS NOT NULL);

-- Sessions that were read from old transcripts: a missing end does not show that they were interrupted. In sessions that
-- C-Mem recorded live, it injected something.
UPDATE sessions SET status = 'completed', ended_at = NULL
WHERE status = 'interrupted' AND end_reason IS NULL
  AND NOT EXISTS (SELECT 1 FROM prompts p
    WHERE p.session_db_id = sessions.id AND p.prompt_number = sessions.prompt_count AND p.is_interrupted = 1)
  AND NOT EXISTS (SELECT 1 FROM injections i WHERE i.session_db_id = sessions.id);

-- Claude Code's transcripts are read again from their beginning: earlier versions skipped the user's answers to the
-- agent's questions, task lists and session titles.
UPDATE sync_state SET size = -1, fingerprint = '' WHERE agent = 'claude-code' AND byte_offset > 0;
