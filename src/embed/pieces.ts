// A vocabulary that needs no loading: the pieces one after the other, where each ends, and a table to look one up by its hash.

/** The id of a piece, its number in the list. */
export type IdOf = (piece: string) => number | undefined;

/** Twice as many as pieces, at least: most are found at the first look. Ids are stored in 16 bits. */
const SLOTS = 65_536;
const MAX_PIECES = SLOTS / 2;

/** As `openPieces` takes it. */
export function packPieces(pieces: readonly string[]): Uint8Array {
  if (pieces.length > MAX_PIECES) throw new RangeError(`${pieces.length} pieces are more than ${MAX_PIECES}`);
  const slots = new Uint16Array(SLOTS);
  const ends = new Uint32Array(pieces.length);
  let end = 0;
  const texts = pieces.map((piece, id) => {
    const text = Buffer.from(piece, "utf8");
    let slot = hashOf(text);
    while (slots[slot] !== 0) slot = (slot + 1) % SLOTS;
    slots[slot] = id + 1;
    ends[id] = end += text.length;
    return text;
  });
  return Buffer.concat([new Uint8Array(slots.buffer), new Uint8Array(ends.buffer), ...texts]);
}

/** `bytes` begins at a multiple of four, as what was allocated does. */
export function openPieces(bytes: Uint8Array, count: number): IdOf {
  const slots = new Uint16Array(bytes.buffer, bytes.byteOffset, SLOTS);
  const ends = new Uint32Array(bytes.buffer, bytes.byteOffset + SLOTS * 2, count);
  const texts = Buffer.from(
    bytes.buffer,
    bytes.byteOffset + SLOTS * 2 + count * 4,
    bytes.length - SLOTS * 2 - count * 4,
  );
  return (piece) => {
    const text = Buffer.from(piece, "utf8");
    for (let slot = hashOf(text); slots[slot] !== 0; slot = (slot + 1) % SLOTS) {
      const id = (slots[slot] ?? 0) - 1;
      const start = id === 0 ? 0 : (ends[id - 1] ?? 0);
      if (texts.compare(text, 0, text.length, start, ends[id] ?? start) === 0) return id;
    }
    return undefined;
  };
}

/** FNV-1a, folded to a slot. */
function hashOf(text: Uint8Array): number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of text) hash = Math.imul(hash ^ byte, 0x01_00_01_93);
  return ((hash >>> 16) ^ hash) & (SLOTS - 1);
}
