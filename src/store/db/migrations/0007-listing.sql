-- Observations newest first, whatever project they are of.
CREATE INDEX observations_newest ON observations(valid_from, id) WHERE is_current = 1;
