// A stored vector is a record: one signed byte per dimension, then the scale as a float. A chunk is contiguous records.

/** Records per chunk. */
export const CHUNK_ROWS = 1024;
/** The kernel adds products of up to 127 * 4095 for all dimensions in 32 bits. */
export const MAX_DIMENSIONS = 4096;

const STEP = 16;
const WEIGHT_MAX = 127;

/** Rounded up to a multiple of 16, as the kernel needs. The rest is zeros. */
export function paddedDimensions(dimensions: number): number {
  return Math.ceil(dimensions / STEP) * STEP;
}

export function recordBytes(dimensions: number): number {
  return paddedDimensions(dimensions) + 4;
}

export function toRecord(vector: Float32Array): Uint8Array {
  const record = new Uint8Array(recordBytes(vector.length));
  const peak = vector.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  const factor = peak === 0 ? 0 : WEIGHT_MAX / peak;
  const numbers = new Int8Array(record.buffer);
  for (let index = 0; index < vector.length; index++) numbers[index] = Math.round((vector[index] ?? 0) * factor);
  new DataView(record.buffer).setFloat32(record.length - 4, peak / WEIGHT_MAX, true);
  return record;
}

/** Each number is within half a quantisation step of the original. */
export function fromRecord(record: Uint8Array, dimensions: number): Float32Array {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const scale = view.getFloat32(recordBytes(dimensions) - 4, true);
  return Float32Array.from({ length: dimensions }, (_, index) => view.getInt8(index) * scale);
}

/** The kernel compares codes in steps of 64 bits. */
const CODE_STEP = 64;

export function codeBytes(dimensions: number): number {
  return Math.ceil(dimensions / CODE_STEP) * (CODE_STEP / 8);
}

/** The codes of records: one bit per dimension, 1 if the number is negative. */
export function codesOf(records: Uint8Array, dimensions: number): Uint8Array {
  const [stride, bytes] = [recordBytes(dimensions), codeBytes(dimensions)];
  const rows = records.length / stride;
  const codes = new Uint8Array(rows * bytes);
  for (let row = 0; row < rows; row++) {
    for (let index = 0; index < dimensions; index++) {
      // The highest bit of a byte is its sign.
      const sign = (records[row * stride + index] ?? 0) >> 7;
      const at = row * bytes + (index >> 3);
      codes[at] = (codes[at] ?? 0) | (sign << (index & 7));
    }
  }
  return codes;
}
