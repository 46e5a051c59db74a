// Makes sure of many copies at once: a disk takes as long to make sure of one small file as of sixty that are asked for together.
import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { aboutPath, type Copy, copyPath } from "./copies.ts";

/** Copies that have been written, but that nobody knows of until the disk has them. */
export interface ArchiveBatch {
  add(copy: Copy): void;
  /** Returns the paths of transcripts whose copies could not be made sure of, and why. */
  settle(): Promise<{ path: string; message: string }[]>;
}

const MAX_COPIES = 64;

export function createBatch(archive: string): ArchiveBatch & { isFull(): boolean } {
  let copies: Copy[] = [];
  return {
    add: (copy) => void copies.push(copy),
    isFull: () => copies.length >= MAX_COPIES,
    async settle() {
      const settled = await Promise.allSettled(copies.map((copy) => settle(archive, copy)));
      const failed = settled.flatMap((result, index) =>
        result.status === "fulfilled"
          ? []
          : [{ path: copies[index]?.file.path ?? "", message: (result.reason as Error).message }],
      );
      copies = [];
      return failed;
    },
  };
}

/** First the copy, then what says how far it goes. */
async function settle(archive: string, copy: Copy): Promise<void> {
  const path = copyPath(archive, copy.file);
  if (copy.withTail > 0) await makeSure(path, "r+");
  const about = aboutPath(path);
  await mkdir(dirname(about), { recursive: true, mode: 0o700 });
  await makeSure(`${about}.tmp`, "w", JSON.stringify(copy));
  await rename(`${about}.tmp`, about);
}

async function makeSure(path: string, flags: "r+" | "w", text?: string): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
