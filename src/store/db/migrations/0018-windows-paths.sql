-- Paths of Windows sessions that were read on another system: with "/", relative to the root of their project.

CREATE TEMP TABLE windows_sessions AS
  SELECT s.id, replace(p.root, '\', '/') AS root FROM sessions s JOIN projects p ON p.id = s.project_id
  WHERE p.root GLOB '[A-Za-z]:[\/]*' OR p.root GLOB '\\*' OR s.cwd GLOB '[A-Za-z]:[\/]*' OR s.cwd GLOB '\\*';
UPDATE temp.windows_sessions SET root = substr(root, 5) WHERE substr(root, 1, 4) IN ('//?/', '//./');
UPDATE temp.windows_sessions SET root = rtrim(root, '/');

CREATE TEMP TABLE windows_touches AS
  SELECT f.id, replace(f.path, '\', '/') AS path, w.root FROM file_touches f JOIN temp.windows_sessions w ON w.id = f.session_db_id
  WHERE instr(f.path, '\') > 0 OR f.path GLOB '/[A-Za-z]/*' OR f.path GLOB '[A-Za-z]:/*';
UPDATE temp.windows_touches SET path = '//' || substr(path, 9) WHERE upper(substr(path, 1, 8)) IN ('//?/UNC/', '//./UNC/');
UPDATE temp.windows_touches SET path = substr(path, 5) WHERE substr(path, 1, 4) IN ('//?/', '//./');
UPDATE temp.windows_touches SET path = substr(path, 2, 1) || ':' || substr(path, 3) WHERE path GLOB '/[A-Za-z]/*';
UPDATE temp.windows_touches SET path = upper(substr(path, 1, 1)) || substr(path, 2) WHERE path GLOB '[a-z]:/*';
UPDATE temp.windows_touches SET path = substr(path, length(root) + 2)
  WHERE lower(substr(path, 1, length(root) + 1)) = lower(root) || '/' AND length(path) > length(root) + 1;
DELETE FROM temp.windows_touches WHERE path = (SELECT f.path FROM file_touches f WHERE f.id = windows_touches.id);

-- What was derived from them names the old paths.
INSERT OR IGNORE INTO stale_memory
  SELECT q.id FROM temp.windows_touches w JOIN file_touches f ON f.id = w.id JOIN tool_uses t ON t.id = f.tool_use_db_id
    JOIN sessions s ON s.id = f.session_db_id
    JOIN prompts q ON q.session_db_id = coalesce(s.parent_session_db_id, s.id) AND q.prompt_number = t.prompt_number;
UPDATE OR REPLACE file_touches SET path = (SELECT w.path FROM temp.windows_touches w WHERE w.id = file_touches.id)
  WHERE id IN (SELECT id FROM temp.windows_touches);

DROP TABLE temp.windows_touches;
DROP TABLE temp.windows_sessions;

-- "c:/Users/x/proj" and "C:\Users\x\proj" are one project, called "proj".
UPDATE projects SET root = substr(root, 5) WHERE substr(root, 1, 4) IN ('\\?\', '\\.\');
UPDATE projects SET root = upper(substr(root, 1, 1)) || substr(replace(root, '/', '\'), 2) WHERE root GLOB '[A-Za-z]:[\/]*';
UPDATE OR IGNORE projects SET key = root
  WHERE root GLOB '[A-Z]:\*' AND key <> root
    AND lower(replace(replace(key, '/', '\'), '\\?\', '')) = lower(root);
UPDATE projects SET name = replace(key, rtrim(key, replace(key, '\', '')), '')
  WHERE key GLOB '[A-Z]:\*' AND key = root AND instr(name, '\') + instr(name, '/') > 0 AND key NOT GLOB '*\';
