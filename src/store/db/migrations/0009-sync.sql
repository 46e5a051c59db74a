-- What every sync looks at of thousands of files, without their readers' states; and the few states that name private prompts.
CREATE INDEX sync_state_marks ON sync_state(path, size, mtime);
CREATE INDEX sync_state_private ON sync_state(session_id) WHERE instr(state, 'Ids":["') > 0;
