// Pieces that many replies and parameters are made of.
import * as z from "zod";

export const time = () => z.iso.datetime().meta({ description: "ISO 8601, UTC" });
export const timeOrNull = () => time().nullable();
export const textOrNull = () => z.string().nullable();
export const count = () => z.int().min(0);

/** `?all`, `?all=1` and `?all=true` are yes. */
export const flag = (about: string) =>
  z
    .enum(["", "1", "0", "true", "false"])
    .transform((text) => text !== "0" && text !== "false")
    .optional()
    .meta({ description: about });

export const word = (about: string) => z.string().max(4_000).optional().meta({ description: about });

/** Which sessions are meant, by the names of the command line's options. */
export const scope = {
  project: word("a project by name or key (default: every project)"),
  all: flag("every project, which is the default here"),
  agent: word("one agent: claude-code, codex, gemini-cli, copilot-cli, opencode, or one that was brought in over HTTP"),
  since: word("from this time on: 2026-01-31, 3d, 2w"),
  before: word("before this time"),
  days: word("the last days"),
};

export const limit = word("how many at the most");
export const offset = word("how many to pass over");

export const listOf = (item: z.ZodType) => z.strictObject({ results: z.array(item) });
export const where = z.string().meta({ description: "what was asked about, in words" });
