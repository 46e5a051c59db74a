// Tells trouble of the machine, which passes, from a fault of the work itself.
import { isStoreTrouble } from "../store/db/driver.ts";

const DISK_TROUBLE = new Set(["ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM"]);

export function isTrouble(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (isStoreTrouble(error) || (typeof code === "string" && DISK_TROUBLE.has(code))) return true;
  return cause !== undefined && isTrouble(cause);
}
