-- A short turn is found by what was said around it, too: its row carries the turns beside it. All rows are made anew.
DROP TABLE turns_fts;
CREATE VIRTUAL TABLE turns_fts USING fts5(scope, prompt, answer, calls, beside,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');

-- Turns that say what they said before, but whose index row is to be made anew.
CREATE TABLE stale_beside (
  prompt_db_id INTEGER PRIMARY KEY REFERENCES prompts(id) ON DELETE CASCADE
) STRICT;
INSERT INTO stale_beside SELECT id FROM prompts;
