// Reads tensors out of a .safetensors file: a length, a JSON table of names, then the numbers.
import { closeSync, openSync, readSync } from "node:fs";

export interface Tensors {
  shapeOf(name: string): number[];
  /** All numbers of a tensor, or those from one place to another. */
  read(name: string, from?: number, to?: number): Float32Array;
  close(): void;
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** A model of six layers has a table of some ten kilobytes. */
const MAX_TABLE_BYTES = 10 * 1024 * 1024;

export function openTensors(path: string): Tensors {
  const file = openSync(path, "r");
  try {
    const length = Number(readAt(file, 0, 8).readBigUInt64LE());
    if (length > MAX_TABLE_BYTES) throw new Error(`${path} is no safetensors file`);
    const table = JSON.parse(readAt(file, 8, length).toString("utf8")) as Record<string, Entry>;
    const entryOf = (name: string): Entry => {
      const entry = table[name];
      if (entry === undefined) throw new Error(`${path} has no ${name}`);
      return entry;
    };
    return {
      shapeOf: (name) => entryOf(name).shape,
      read(name, from = 0, to = Infinity) {
        const { dtype, data_offsets: offsets } = entryOf(name);
        const size = dtype === "F32" ? 4 : 2;
        const start = offsets[0] + from * size;
        const end = Math.min(offsets[1], offsets[0] + to * size);
        return floatsOf(readAt(file, 8 + length + start, end - start), dtype);
      },
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const read = readSync(file, bytes, done, length - done, position + done);
    if (read === 0) throw new Error("The file ends too early");
    done += read;
  }
  return bytes;
}

function floatsOf(bytes: Buffer, dtype: string): Float32Array {
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (dtype === "F32") {
    const floats = new Float32Array(bytes.length / 4);
    for (let index = 0; index < floats.length; index++) floats[index] = numbers.getFloat32(index * 4, true);
    return floats;
  }
  if (dtype !== "F16") throw new Error(`Numbers of type ${dtype} are not read`);
  const floats = new Float32Array(bytes.length / 2);
  for (let index = 0; index < floats.length; index++) {
    floats[index] = HALVES[numbers.getUint16(index * 2, true)] ?? Number.NaN;
  }
  return floats;
}

/** Every number of 16 bits as a float: a table is ten times faster than working each one out. */
const HALVES = new Float32Array(65_536);
for (let half = 0; half < HALVES.length; half++) HALVES[half] = halfToFloat(half);

/** Sign, five bits of exponent, ten of fraction. */
function halfToFloat(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
