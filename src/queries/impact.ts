// What was shown to agents, what of it was used, and what it took.
import { AppError } from "../core/error.ts";
import { compareHoldout, type GroupImpact, impactBySurface, type SurfaceImpact } from "../store/reads/impact.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer } from "./envelope.ts";

export interface ImpactAnswer extends Answer {
  surfaces: SurfaceImpact[];
  groups: GroupImpact[];
  where: string;
}

export function answerImpact(asked: Asked): ImpactAnswer {
  const { scope, where } = questionOf(asked, 1);
  const surfaces = impactBySurface(asked.db, scope);
  const groups = compareHoldout(asked.db, scope);
  if (surfaces.length === 0 && groups.length === 0) {
    throw new AppError("nothing_found", `Nothing was shown to an agent in ${where} yet.`, {
      hint: "Memory speaks in sessions of Claude Code once there is some; `c-mem context` shows what it would say.",
    });
  }
  return { data: { surfaces, holdout: groups }, meta: { where }, surfaces, groups, where };
}
