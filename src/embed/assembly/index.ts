// The kernel in AssemblyScript: the inner loops of the forward pass and of the vector scan. It keeps no state: callers
// allocate the memory and pass pointers.
export { addNorm, gelu, lookUp, quantiseRows } from "./rows";
export { linear } from "./linear";
export { attend } from "./attention";
export { dotRecords, nearCodes } from "./vectors";

/** The memory before this has constants. */
export function heapStart(): usize {
  return __heap_base;
}
