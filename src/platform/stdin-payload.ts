// Passes stdin from the `c-mem` launcher to the hook bundle it loads: stdin can be read only once.

const KEY = Symbol.for("c-mem.stdin");
const shared = globalThis as { [KEY]?: string };

export function keepPayload(text: string): void {
  shared[KEY] = text;
}

export function keptPayload(): string | undefined {
  return shared[KEY];
}
