// Turns errors of the machine (no permission, a full disk) into a sentence and what to do, without a stack.
import { AppError } from "../core/error.ts";

const REFUSED: Record<string, [message: string, hint: string]> = {
  EACCES: ["may not be read or written", "Check its owner and permissions"],
  EPERM: ["may not be read or written", "Check its owner and permissions"],
  EROFS: ["is on a disk that cannot be written", "Make it writable"],
  ENOTDIR: ["cannot be there: a part of its path is a file", "Move that file away"],
  ENOSPC: ["could not be written: the disk is full", "Free some space"],
  EDQUOT: ["could not be written: your disk quota is used up", "Free some space"],
};

const IS_FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** For callers with a shorter message of their own. */
export function isDiskFull(error: unknown): boolean {
  return IS_FULL.has((error as NodeJS.ErrnoException).code ?? "");
}

/** Returns other errors unchanged. */
export function asMachineTrouble(error: unknown): unknown {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === "uv_cwd") {
    return new AppError("no_folder", "The folder you are in is gone.", {
      hint: "Change into another, then run the command again.",
      cause: error,
    });
  }
  const refused = REFUSED[code ?? ""];
  if (error instanceof AppError || refused === undefined) return error;
  // A failed write does not say of which file.
  const what = path ?? (IS_FULL.has(code ?? "") ? "A file" : undefined);
  if (what === undefined) return error;
  const [message, hint] = refused;
  return new AppError(IS_FULL.has(code ?? "") ? "disk_full" : (code ?? ""), `${what} ${message} (${code}).`, {
    hint: `${hint}, then run the command again.`,
    cause: error,
  });
}
