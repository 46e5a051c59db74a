// Turns texts into vectors: the one thing the rest of the program knows about embedding models.

export interface Embedder {
  /** Names the vectors: only those of the same id can be compared. */
  readonly id: string;
  readonly dimensions: number;
  /** A vector of length one for every text, in their order. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Ends what is running and gives the memory back. */
  close(): Promise<void>;
}

/** Scales the vector to length one, in place; one of zeros stays as it is. */
export function normalise(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const factor = 1 / Math.sqrt(squares);
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] ?? 0) * factor;
  return vector;
}
