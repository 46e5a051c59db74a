// Creates the WebAssembly kernel with its own memory, which is freed with the last reference to the kernel.
// `vitest run src/embed/kernel.test.ts -u` compiles assembly/ to kernel.json.
import compiled from "./kernel.json" with { type: "json" };

/** The arguments are documented in assembly/. Pointers are byte offsets. */
type KernelFunctions = Record<
  "heapStart" | "lookUp" | "addNorm" | "gelu" | "quantiseRows" | "linear" | "attend" | "dotRecords" | "nearCodes",
  (...args: number[]) => number
>;

export type Kernel = ReturnType<typeof createKernel>;

const PAGE_BYTES = 65_536;
const ALIGNMENT = 16;
/** 4 GB, which 32-bit pointers can address. */
const MAX_PAGES = 65_536;

const modules = new Map<string, WebAssembly.Module>();

/** Compiled on first use. An engine without relaxed SIMD gets the plain kernel: slower, with the same results. */
function moduleOf(variant: keyof typeof compiled): WebAssembly.Module {
  const known = modules.get(variant);
  if (known !== undefined) return known;
  const bytes = Buffer.from(compiled[variant].join(""), "base64");
  const module = WebAssembly.validate(bytes) ? new WebAssembly.Module(bytes) : moduleOf("plain");
  modules.set(variant, module);
  return module;
}

export function createKernel(variant: keyof typeof compiled = "relaxed") {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES });
  const run = new WebAssembly.Instance(moduleOf(variant), { env: { memory } }).exports as KernelFunctions;
  let top = Math.ceil(run.heapStart() / ALIGNMENT) * ALIGNMENT;
  return {
    run,
    memory,
    /** Returns the offset of zeroed bytes, a multiple of 16. May grow the memory, which detaches earlier views. */
    allocate(bytes: number): number {
      const start = top;
      top += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
      const missing = Math.ceil((top - memory.buffer.byteLength) / PAGE_BYTES);
      if (missing > 0) memory.grow(missing);
      return start;
    },
  };
}
