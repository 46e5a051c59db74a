// What the API's replies hold: the same as the commands print with --json.
import type * as z from "zod";
import type { blame } from "../queries/blame.ts";
import type { context } from "../queries/context.ts";
import type { cost } from "../queries/cost.ts";
import type { efforts } from "../queries/efforts.ts";
import type { health } from "../queries/health.ts";
import type { impact } from "../queries/impact.ts";
import type { observationSchema } from "../queries/observation-json.ts";
import type { paths } from "../queries/paths.ts";
import type { projects } from "../queries/projects.ts";
import type { settings } from "../queries/settings.ts";
import type { stats } from "../queries/stats.ts";
import type { timeline } from "../queries/timeline.ts";
import type { workerLog, workerStatus } from "../queries/worker.ts";
import type { items } from "../queries/session-items.ts";
import type { list } from "../queries/list.ts";
import type { observation, observations } from "../queries/observations.ts";
import type { DataOf, MetaOf } from "../queries/query.ts";
import type { search } from "../queries/search.ts";
import type { summarySchema } from "../queries/session-json.ts";

export type Session = DataOf<typeof list>["results"][number];

export type Summary = z.output<ReturnType<typeof summarySchema>>;
export type Observation = z.output<ReturnType<typeof observationSchema>>;
export type ProjectEntry = DataOf<typeof projects>["results"][number];
export type ChangedFile = DataOf<typeof paths>["results"][number];
export type FileTurn = DataOf<typeof blame>["results"][number];
export type Effort = DataOf<typeof efforts>["results"][number];
export type Stats = DataOf<typeof stats>;
export type DayShare = Stats["by_day"][number];
export type Cost = DataOf<typeof cost>;
export type Impact = DataOf<typeof impact>;
export type Setting = DataOf<typeof settings>["results"][number];
export type Check = DataOf<typeof health>["results"][number];
export type WorkerState = DataOf<typeof workerStatus>;
export type LogLine = DataOf<typeof workerLog>["results"][number];
export type TimelineTurn = DataOf<typeof timeline>["results"][number];

export type Finding = DataOf<typeof search>["results"][number];
export type SearchMeta = MetaOf<typeof search>;

export interface ListMeta {
  where?: string;
  has_more?: boolean;
}

/** With the id of the outline: "p12", "m34", "t56", "r12", "s7", "c9". */
export type TranscriptItem = DataOf<typeof items>["results"][number];
type ItemOf<Kind extends TranscriptItem["kind"]> = Extract<TranscriptItem, { kind: Kind }>;
export type PromptItem = ItemOf<"prompt">;
export type MessageItem = ItemOf<"message">;
export type ToolItem = ItemOf<"tool">;
export type SubagentItem = ItemOf<"subagent">;
export type WholeToolItem = ToolItem & { input: unknown; output: string };

export type ListedObservation = DataOf<typeof observations>["results"][number];
export type Story = DataOf<typeof observation>;
export type Named = Story["replaces"][number];
export type Evidence = Story["evidence"][number];

/** Listed or with its evidence. */
export type AnyObservation = Omit<ListedObservation, "evidence">;

export type ContextBlock = DataOf<typeof context>;
