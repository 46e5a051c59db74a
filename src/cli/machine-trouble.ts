// What the machine refuses is nobody's bug: it is said in a sentence, without a stack.
import { AppError } from "../core/error.ts";

const REFUSED: Record<string, [message: string, hint: string]> = {
  EACCES: ["may not be read or written", "Look at whose it is and at its permissions"],
  EPERM: ["may not be read or written", "Look at whose it is and at its permissions"],
  EROFS: ["is on a disk that cannot be written", "Make it writable"],
  ENOTDIR: ["cannot be there: a part of its path is a file", "Move that file away"],
  ENOSPC: ["could not be written: the disk is full", "Make room"],
  EDQUOT: ["could not be written: your share of the disk is full", "Make room"],
};

/** The same error where it is anything else. */
export function asMachineTrouble(error: unknown): unknown {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === "uv_cwd") {
    return new AppError("no_folder", "The folder you are in is gone.", {
      hint: "Change into another, then run the command again.",
      cause: error,
    });
  }
  const refused = REFUSED[code ?? ""];
  if (error instanceof AppError || refused === undefined || path === undefined) return error;
  const [message, hint] = refused;
  return new AppError(code ?? "", `${path} ${message} (${code}).`, {
    hint: `${hint}, then run the command again.`,
    cause: error,
  });
}
