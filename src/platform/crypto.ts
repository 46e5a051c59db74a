// Loads node:crypto on first use, because loading takes 5 ms: a fifth of the time that Node needs to start.

/** Returns hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(data).digest("hex");
}

export function randomHex(bytes: number): string {
  return process.getBuiltinModule("node:crypto").randomBytes(bytes).toString("hex");
}
