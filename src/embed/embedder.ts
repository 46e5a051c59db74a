// The interface of every embedding model.

export interface Embedder {
  /** Only vectors with the same id can be compared. */
  readonly id: string;
  readonly dimensions: number;
  /** A unit vector for each text. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Aborts running requests and frees the memory. */
  close(): Promise<void>;
}

/** Scales the vector to length one, in place. Does not change a zero vector. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const factor = 1 / Math.sqrt(squares);
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) * factor;
  return vector;
}
