// The kernel, in AssemblyScript: the loops of the model's forward pass and of the vector scan, over one linear memory.
// Every pointer comes from the caller, who owns the layout; there is no allocation and no state in here.
export { addNorm, gelu, lookUp, quantiseRows } from "./rows";
export { linear } from "./linear";
export { attend } from "./attention";
export { dotRecords, nearCodes } from "./vectors";
