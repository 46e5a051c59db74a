// The words of a question as a vector: in a process that stays, by what it keeps.
import { embedQuery, type SemanticState } from "../recall/search/semantic.ts";
import type { Asked } from "./legacy.ts";

export async function meaningOf(
  { db, paths, env, kept }: Pick<Asked, "db" | "paths" | "env" | "kept">,
  query: string,
  project: number | undefined,
): Promise<SemanticState> {
  const embedder = await kept?.embedder();
  return await embedQuery(db, query, {
    paths,
    env,
    project,
    ...(kept && { index: kept.index }),
    ...(kept?.keep && { keep: kept.keep }),
    ...(embedder && { embedder }),
  });
}
