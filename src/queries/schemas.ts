// Parts that many reply schemas share. Each takes zod, which only the server and tests load.
import type * as z from "zod";
import type { Zod } from "./query.ts";

export const timeOf = (z: Zod) => z.iso.datetime().meta({ description: "ISO 8601, UTC" });
export const timeOrNull = (z: Zod) => timeOf(z).nullable();
export const textOrNull = (z: Zod) => z.string().nullable();
export const countOf = (z: Zod) => z.int().min(0);
export const whereOf = (z: Zod) => z.string().meta({ description: "the project, or all projects" });

export const listOf = <Item extends z.ZodType>(zod: Zod, item: Item) => zod.strictObject({ results: zod.array(item) });

/** `completed` also where the next prompt came before the turn's end was recorded. */
export const turnStatusOf = (z: Zod) => z.enum(["running", "completed", "interrupted"]);

export const commitOf = (z: Zod) => z.strictObject({ sha: z.string(), subject: z.string() });
