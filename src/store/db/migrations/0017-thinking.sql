-- What agents thought, in an index of its own: the ranks and the size of the others stay as they are.

CREATE VIRTUAL TABLE thinking_fts USING fts5(scope, thinking,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');

-- As for the others: a purge must not rewrite a whole index.
INSERT INTO thinking_fts (thinking_fts, rank) VALUES ('deletemerge', 0);

-- Messages whose thinking is not indexed yet.
CREATE TABLE stale_thinking (
  message_db_id INTEGER PRIMARY KEY REFERENCES messages(id) ON DELETE CASCADE
) STRICT;
INSERT INTO stale_thinking SELECT id FROM messages WHERE thinking <> '';

CREATE TRIGGER thinking_to_index AFTER INSERT ON messages WHEN new.thinking <> '' BEGIN
  INSERT OR IGNORE INTO stale_thinking VALUES (new.id);
END;

CREATE TRIGGER thinking_to_index_again AFTER UPDATE OF thinking ON messages WHEN new.thinking IS NOT old.thinking BEGIN
  DELETE FROM thinking_fts WHERE rowid = new.id;
  INSERT OR IGNORE INTO stale_thinking SELECT new.id WHERE new.thinking <> '';
END;

CREATE TRIGGER thinking_gone AFTER DELETE ON messages WHEN old.thinking <> '' BEGIN
  DELETE FROM thinking_fts WHERE rowid = old.id;
END;
