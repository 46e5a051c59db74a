-- What one transaction of a sync indexes is written in one piece, not a piece per megabyte that is merged again at once.
INSERT INTO turns_fts (turns_fts, rank) VALUES ('hashsize', 8388608);
INSERT INTO tool_uses_fts (tool_uses_fts, rank) VALUES ('hashsize', 8388608);
