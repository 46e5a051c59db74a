-- How a turn ended, as the evidence says: the agent's transcript shows an interruption, or a compaction came in the middle.
ALTER TABLE prompts ADD COLUMN is_interrupted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE prompts ADD COLUMN checkpoint_at INTEGER;             -- the agent compacted its context while the turn ran

-- Earlier versions gave every session up as interrupted after 24 hours, and gave its last turn an end it did not have.
UPDATE prompts SET ended_at = NULL
WHERE ended_at IS NOT NULL
  AND EXISTS (
    SELECT 1 FROM sessions s WHERE s.id = prompts.session_db_id AND s.status = 'interrupted' AND s.prompt_count = prompts.prompt_number)
  AND (
    EXISTS (
      SELECT 1 FROM tool_uses t
      WHERE t.session_db_id = prompts.session_db_id AND t.prompt_number = prompts.prompt_number AND t.created_at > prompts.ended_at)
    OR (prompts.response IS NULL AND NOT EXISTS (
      SELECT 1 FROM messages m
      WHERE m.session_db_id = prompts.session_db_id AND m.prompt_number = prompts.prompt_number AND m.role = 'assistant' AND m.text <> ''
        AND m.created_at >= coalesce((
          SELECT max(t.created_at) FROM tool_uses t
          WHERE t.session_db_id = prompts.session_db_id AND t.prompt_number = prompts.prompt_number), 0))));

-- A prompt that was typed while a turn ran was handled in that turn, and ended with it.
UPDATE prompts SET ended_at = (
  SELECT max(before.ended_at) FROM prompts before
  WHERE before.session_db_id = prompts.session_db_id AND before.prompt_number < prompts.prompt_number)
WHERE ended_at IS NULL AND created_at < (
  SELECT max(before.ended_at) FROM prompts before
  WHERE before.session_db_id = prompts.session_db_id AND before.prompt_number < prompts.prompt_number);

-- A conversation is completed when its last turn has ended; one without a prompt had nothing to interrupt.
UPDATE sessions SET status = 'completed', ended_at = iif(end_reason IS NULL, NULL, ended_at)
WHERE status IN ('interrupted', 'active') AND parent_session_db_id IS NULL
  AND (EXISTS (
      SELECT 1 FROM prompts p WHERE p.session_db_id = sessions.id AND p.prompt_number = sessions.prompt_count AND p.ended_at IS NOT NULL)
    OR (status = 'interrupted' AND prompt_count = 0));

-- A subagent whose last words are known has ended.
UPDATE sessions SET status = 'completed', end_reason = 'subagent'
WHERE status = 'interrupted' AND parent_session_db_id IS NOT NULL AND report IS NOT NULL;

-- Summaries that call a turn interrupted are derived again.
INSERT OR IGNORE INTO stale_memory
SELECT p.id FROM prompts p
WHERE EXISTS (
  SELECT 1 FROM summaries m
  WHERE m.session_db_id = p.session_db_id AND m.prompt_number = p.prompt_number
    AND instr(m.next_steps, 'The turn was interrupted before it was finished') > 0);

UPDATE summaries SET next_steps = trim(replace(next_steps, 'The turn was interrupted before it was finished.', ''))
WHERE instr(next_steps, 'The turn was interrupted before it was finished') > 0;

-- How turns ended stands in the transcripts: those that are still there are read once more.
UPDATE sync_state SET size = -1;
