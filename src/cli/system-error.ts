// Turns system errors (no permission, a full disk) into a message and a hint, without a stack.
import { AppError } from "../core/error.ts";

const MESSAGES: Record<string, [message: string, hint: string]> = {
  EACCES: ["cannot be read or written", "Check its owner and permissions"],
  EPERM: ["cannot be read or written", "Check its owner and permissions"],
  EROFS: ["is on a disk that cannot be written", "Make it writable"],
  EEXIST: ["is a file, not a folder", "Move it away, or set C_MEM_HOME to a folder"],
  ENOTDIR: ["cannot exist: a part of its path is a file", "Move that file away"],
  ENOSPC: ["could not be written: the disk is full", "Free some space"],
  EDQUOT: ["could not be written: your disk quota is used up", "Free some space"],
};

const IS_FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

export function isDiskFull(error: unknown): boolean {
  return IS_FULL.has((error as NodeJS.ErrnoException).code ?? "");
}

/** Returns other errors unchanged. */
export function explainSystemError(error: unknown): unknown {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === "uv_cwd") {
    return new AppError("no_folder", "The current folder no longer exists.", {
      hint: "Change to another folder, then run the command again.",
      cause: error,
    });
  }
  const known = code === "EEXIST" && syscall !== "mkdir" ? undefined : MESSAGES[code ?? ""];
  if (error instanceof AppError || known === undefined) return error;
  // The error of a failed write has no path.
  const what = path ?? (IS_FULL.has(code ?? "") ? "A file" : undefined);
  if (what === undefined) return error;
  const [message, hint] = known;
  return new AppError(IS_FULL.has(code ?? "") ? "disk_full" : (code ?? ""), `${what} ${message} (${code}).`, {
    hint: `${hint}, then run the command again.`,
    cause: error,
  });
}
