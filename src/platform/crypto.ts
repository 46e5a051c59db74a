// node:crypto, loaded on first use: that takes five milliseconds, a fifth of a bare start of Node.

/** As hex. */
export function sha256(data: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(data).digest("hex");
}

export function randomHex(bytes: number): string {
  return process.getBuiltinModule("node:crypto").randomBytes(bytes).toString("hex");
}
