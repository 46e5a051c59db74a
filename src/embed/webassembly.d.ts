// The part of WebAssembly used here: TypeScript declares it only together with all browser types.
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  type Module = object;
  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  const Memory: new (limits: { initial: number; maximum?: number }) => Memory;
  const Module: new (bytes: Uint8Array) => Module;
  const Instance: new (module: Module, imports: Record<string, Record<string, unknown>>) => Instance;
}
