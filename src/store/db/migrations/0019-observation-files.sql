-- Which of an observation's files its turn changed, and which it only read.
ALTER TABLE observations ADD COLUMN files_read TEXT NOT NULL DEFAULT '[]'; -- JSON array of paths
ALTER TABLE observations ADD COLUMN files_modified TEXT NOT NULL DEFAULT '[]'; -- JSON array of paths

WITH touched AS (
  SELECT o.id, j.key, j.value AS path,
    (SELECT max(f.kind <> 'read') FROM sessions s
       JOIN tool_uses t ON t.session_db_id = s.id AND t.prompt_number = o.prompt_number
       JOIN file_touches f ON f.tool_use_db_id = t.id AND f.path = j.value
     WHERE s.id = o.session_db_id OR s.parent_session_db_id = o.session_db_id) AS modified
  FROM observations o, json_each(o.files) j
  WHERE o.session_db_id IS NOT NULL AND o.prompt_number IS NOT NULL),
uses AS (
  SELECT id, json_group_array(path) FILTER (WHERE modified = 0) AS read,
    json_group_array(path) FILTER (WHERE modified = 1) AS modified
  FROM (SELECT * FROM touched WHERE modified IS NOT NULL ORDER BY id, key) GROUP BY id)
UPDATE observations SET files_read = uses.read, files_modified = uses.modified FROM uses WHERE uses.id = observations.id;
