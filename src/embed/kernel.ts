// The compiled kernel over a memory of its own. Dropping the last reference gives that memory back to the machine.
import { KERNEL_BYTES } from "./kernel-bytes.ts";

type Pointer = number;

/** What assembly/index.ts exports; what each argument means is said there. */
interface KernelFunctions {
  lookUp(
    ids: Pointer,
    positions: Pointer,
    words: Pointer,
    wordScale: Pointer,
    places: Pointer,
    out: Pointer,
    tokens: number,
    size: number,
  ): void;
  addNorm(
    x: Pointer,
    added: Pointer,
    gain: Pointer,
    bias: Pointer,
    tokens: number,
    size: number,
    epsilon: number,
  ): void;
  gelu(x: Pointer, count: number): void;
  quantiseRows(x: Pointer, q: Pointer, scales: Pointer, tokens: number, size: number): void;
  linear(
    x: Pointer,
    xScale: Pointer,
    w: Pointer,
    wScale: Pointer,
    bias: Pointer,
    y: Pointer,
    tokens: number,
    inputs: number,
    outputs: number,
  ): void;
  attend(qkv: Pointer, out: Pointer, scratch: Pointer, tokens: number, size: number): void;
  dotRecords(records: Pointer, query: Pointer, out: Pointer, rows: number, dimensions: number): void;
  nearCodes(codes: Pointer, query: Pointer, out: Pointer, rows: number, codeBytes: number, maxBits: number): number;
}

export interface Kernel {
  run: KernelFunctions;
  memory: WebAssembly.Memory;
  /** Room for so many bytes, at a multiple of sixteen, all zero. Views of the memory made before may be stale after it. */
  allocate(bytes: number): Pointer;
}

const PAGE = 65_536;
const ALIGNMENT = 16;
/** Four gigabytes: what 32-bit pointers reach. */
const MAX_PAGES = 65_536;

let compiled: WebAssembly.Module | undefined;

export function createKernel(): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNEL_BYTES, "base64"));
  const memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES });
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  let top = ALIGNMENT;
  return {
    run: exports as unknown as KernelFunctions,
    memory,
    allocate(bytes) {
      const at = top;
      top += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
      const missing = Math.ceil((top - memory.buffer.byteLength) / PAGE);
      if (missing > 0) memory.grow(missing);
      return at;
    },
  };
}
