// Declares the used part of WebAssembly. TypeScript has it only in its browser types.
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  type Module = object;
  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  function validate(bytes: Uint8Array): boolean;
  const Memory: new (limits: { initial: number; maximum?: number }) => Memory;
  const Module: new (bytes: Uint8Array) => Module;
  const Instance: new (module: Module, imports: Record<string, Record<string, unknown>>) => Instance;
}
