-- Of every vector a bit a dimension, apart from its numbers: who looks through all of them reads an eighth.
CREATE TABLE vector_codes (
  model_id INTEGER NOT NULL REFERENCES embedding_models(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,                        -- as in vector_chunks
  revision INTEGER NOT NULL,                      -- of the chunk they were made of: about a later one they say nothing
  codes BLOB NOT NULL,
  PRIMARY KEY (model_id, number)
) STRICT;
