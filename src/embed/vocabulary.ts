// A packed vocabulary that needs no parsing: a hash table of ids, the end of each entry, and the texts.

export type IdOf = (text: string) => number | undefined;

/** At least twice the number of entries, so that most lookups need one step. Ids have 16 bits. */
const SLOTS = 65_536;
const MAX_ENTRIES = SLOTS / 2;

export function packVocabulary(entries: readonly string[]): Uint8Array {
  if (entries.length > MAX_ENTRIES) throw new RangeError(`${entries.length} entries are more than ${MAX_ENTRIES}`);
  const slots = new Uint16Array(SLOTS);
  const ends = new Uint32Array(entries.length);
  let end = 0;
  const texts = entries.map((entry, id) => {
    const text = Buffer.from(entry);
    let slot = hashOf(text);
    while (slots[slot] !== 0) slot = (slot + 1) % SLOTS;
    slots[slot] = id + 1;
    ends[id] = end += text.length;
    return text;
  });
  return Buffer.concat([new Uint8Array(slots.buffer), new Uint8Array(ends.buffer), ...texts]);
}

/** The bytes must start at a multiple of four. */
export function openVocabulary({ buffer, byteOffset, length }: Uint8Array, count: number): IdOf {
  const textsAt = SLOTS * 2 + count * 4;
  const slots = new Uint16Array(buffer, byteOffset, SLOTS);
  const ends = new Uint32Array(buffer, byteOffset + SLOTS * 2, count);
  const texts = Buffer.from(buffer as ArrayBuffer, byteOffset + textsAt, length - textsAt);
  return (entry) => {
    const text = Buffer.from(entry);
    for (let slot = hashOf(text); slots[slot] !== 0; slot = (slot + 1) % SLOTS) {
      const id = (slots[slot] ?? 0) - 1;
      const start = id === 0 ? 0 : (ends[id - 1] ?? 0);
      if (texts.compare(text, 0, text.length, start, ends[id] ?? start) === 0) return id;
    }
    return undefined;
  };
}

/** FNV-1a, folded to 16 bits. */
function hashOf(text: Uint8Array): number {
  let hash = 0x81_1c_9d_c5;
  for (const byte of text) hash = Math.imul(hash ^ byte, 0x01_00_01_93);
  return ((hash >>> 16) ^ hash) & (SLOTS - 1);
}
