// Makes sure of many copies at once: a disk takes as long to make sure of one small file as of sixty that are asked for together.
import { type Copy, saveCopy } from "./archive-copies.ts";

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
      const settled = await Promise.allSettled(copies.map((copy) => saveCopy(archive, copy)));
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
