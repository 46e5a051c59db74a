// Repairs a damaged database when a command finds one, then continues.
import { AppError } from "../core/error.ts";
import { DamagedStore } from "./store.ts";
import { wake } from "./worker-control.ts";

export async function withRepair<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedStore)) throw error;
    const { repairNow } = await import("./repair-store.ts");
    repairNow(error.paths);
    if (!error.hasBegun) return work();
    wake(error.paths);
    throw new AppError("store_repaired", "The database was damaged, and is repaired.", { hint: "Run it once more." });
  }
}
