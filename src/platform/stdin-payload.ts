// Passes the payload from the `c-mem` launcher to the hook bundle it loads, as stdin can be read only once.

const KEY = Symbol.for("c-mem.stdin");
const shared = globalThis as { [KEY]?: string };

export function storePayload(text: string): void {
  shared[KEY] = text;
}

export function storedPayload(): string | undefined {
  return shared[KEY];
}
