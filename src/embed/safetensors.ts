// Reads tensors from a .safetensors file, which consists of the length of a JSON table, the table, and the numbers.
import { closeSync, openSync } from "node:fs";
import { readFully } from "../platform/read-file.ts";

export type Tensors = ReturnType<typeof openTensors>;

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** The table of a model with six layers has about 10 KB. */
const MAX_TABLE_BYTES = 10 * 1024 * 1024;

export function openTensors(path: string) {
  const file = openSync(path, "r");
  const readAt = (position: number, length: number): DataView => {
    const view = new DataView(new ArrayBuffer(length));
    if (!readFully(file, new Uint8Array(view.buffer), position)) throw new Error("The file ends too early");
    return view;
  };
  try {
    const length = Number(readAt(0, 8).getBigUint64(0, true));
    if (length > MAX_TABLE_BYTES) throw new Error(`${path} is no safetensors file`);
    const table = JSON.parse(new TextDecoder().decode(readAt(8, length))) as Record<string, Entry>;
    const entryOf = (name: string): Entry => {
      const entry = table[name];
      if (entry === undefined) throw new Error(`${path} has no ${name}`);
      return entry;
    };
    return {
      shapeOf: (name: string) => entryOf(name).shape,
      has: (name: string) => table[name] !== undefined,
      /** Reads all numbers of a tensor, or only those from index `from` to before `to`. */
      read(name: string, from = 0, to = Infinity): Float32Array {
        const {
          dtype,
          data_offsets: [first, last],
        } = entryOf(name);
        const size = dtype === "F32" ? 4 : 2;
        const start = first + from * size;
        return floatsOf(readAt(8 + length + start, Math.min(last, first + to * size) - start), dtype);
      },
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function floatsOf(numbers: DataView, dtype: string): Float32Array {
  const { byteLength } = numbers;
  if (dtype === "F32")
    return Float32Array.from({ length: byteLength / 4 }, (_, index) => numbers.getFloat32(index * 4, true));
  if (dtype !== "F16") throw new Error(`Unsupported number type ${dtype}`);
  halves ??= Float32Array.from({ length: 65_536 }, (_, half) => halfToFloat(half));
  const floats = new Float32Array(byteLength / 2);
  for (let index = 0; index < floats.length; index++)
    floats[index] = halves[numbers.getUint16(index * 2, true)] ?? Number.NaN;
  return floats;
}

/** The values of all 16-bit floats. A lookup is ten times faster than a conversion. */
let halves: Float32Array | undefined;

/** 1 sign bit, 5 exponent bits, 10 fraction bits. */
function halfToFloat(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
