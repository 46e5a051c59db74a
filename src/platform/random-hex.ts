// Random bytes as text, with crypto loaded only when they are needed, as in sha256.ts.

export function randomHex(bytes: number): string {
  return process.getBuiltinModule("node:crypto").randomBytes(bytes).toString("hex");
}
