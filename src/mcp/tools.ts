// The MCP tools. A test limits the size of their schemas, because every session pays tokens for them.
import { fileHistory } from "./file-history.ts";
import { findFix } from "./find-fix.ts";
import { forget } from "./forget.ts";
import { getObservations } from "./get-observations.ts";
import { handover } from "./handover.ts";
import { remember } from "./remember.ts";
import { search } from "./search.ts";
import { timeline } from "./timeline.ts";
import type { MemoryTool } from "./tool.ts";
import { whyTool } from "./why.ts";

export const TOOLS: readonly MemoryTool[] = [
  search,
  timeline,
  getObservations,
  fileHistory,
  whyTool,
  findFix,
  remember,
  forget,
  handover,
];
