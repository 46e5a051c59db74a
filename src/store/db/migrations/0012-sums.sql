-- What is summed up over every row, session by session: without reading the rows, of which there may be gigabytes.
CREATE INDEX tool_uses_sums ON tool_uses(session_db_id, created_at, name, is_error, octet_length(input), octet_length(output), octet_length(packed));
CREATE INDEX messages_sums ON messages(session_db_id, created_at, octet_length(text), octet_length(thinking),
  input_tokens, output_tokens, cache_read_tokens, cache_write_tokens);

-- Merged by us, in short steps: FTS5 would rewrite the whole of an index while somebody deletes a tenth of its rows.
INSERT INTO turns_fts (turns_fts, rank) VALUES ('deletemerge', 0);
INSERT INTO tool_uses_fts (tool_uses_fts, rank) VALUES ('deletemerge', 0);
INSERT INTO observations_fts (observations_fts, rank) VALUES ('deletemerge', 0);
