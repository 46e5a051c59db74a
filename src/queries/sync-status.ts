// Finds the transcripts on this machine, and which of them `c-mem sync` would read.
import { findTranscripts } from "../capture/sync/find-transcripts.ts";
import type { Transcript } from "../capture/sync/read-transcript.ts";
import { isUnchanged, startSync, type SyncContext } from "../capture/sync/sync.ts";
import { explainJson } from "../config/json-error.ts";
import { loadSettings } from "../config/load.ts";
import type { Settings } from "../config/schema.ts";
import { AppError } from "../core/error.ts";
import { count, withCommas } from "../core/text.ts";
import { bytes } from "../platform/terminal/style.ts";
import { fields, type InputOf } from "./fields.ts";
import { defineQuery, type QueryContext } from "./query.ts";
import { jsonOf, defineNames, schemaOf } from "./schemas.ts";
import { checkAgent } from "./scope.ts";

export const SYNC_FIELDS = fields({
  agent: { kind: "text", value: "agent", values: "agents", about: "only this agent's" },
  project: {
    kind: "text",
    short: "p",
    value: "name",
    values: "projects",
    about: "only this project's, by name or key",
  },
  session: { kind: "text", value: "id", values: "sessions", about: "only this session, by the start of its id" },
  force: { kind: "flag", about: "read every file from the start" },
});

const FILE = defineNames({ text: ["path", "agent", "session_id"], count: ["bytes"] });

export const syncStatus = defineQuery({
  name: "sync",
  about: "show which transcripts a sync would read",
  fields: SYNC_FIELDS,
  http: { path: "/api/sync", tag: "health", isSlow: true, readsFiles: true },
  reply: (z) => ({
    data: z.strictObject({
      ...schemaOf(z, { count: ["files", "unchanged"], texts: ["too_large"] }),
      to_read: z.array(z.strictObject(schemaOf(z, FILE))),
      dry_run: z.literal(true),
    }),
  }),
  run(input, context) {
    const { files, pending, tooLarge } = planSync(input, context);
    return {
      data: {
        files: files.length,
        unchanged: files.length - pending.length - tooLarge.length,
        too_large: tooLarge,
        to_read: pending.map(({ file }) => jsonOf(FILE, { ...file, session_id: file.sessionId })),
        dry_run: true as const,
      },
    };
  },
  text({ data: { to_read: pending, too_large: tooLarge, unchanged } }) {
    const total = pending.reduce((sum, file) => sum + file.bytes, 0);
    const large = tooLarge.length === 0 ? "" : `, ${tooLarge.length} too large`;
    return `Would read ${count(pending.length, "transcript")} (${bytes(total)}); ${withCommas(unchanged)} unchanged${large}.`;
  },
});

export interface SyncPlan {
  settings: Settings;
  context: SyncContext;
  files: Transcript[];
  pending: Transcript[];
  tooLarge: string[];
}

export function planSync(
  { agent, session, project, force }: InputOf<typeof SYNC_FIELDS>,
  { db, paths, env }: Pick<QueryContext, "db" | "paths" | "env">,
): SyncPlan {
  const { values: settings, blocked } = loadSettings({ user: paths.config }, env, explainJson);
  if (blocked !== undefined) {
    throw new AppError("bad_config", `${blocked}.`, {
      hint: "Nothing is recorded until that is fixed; see `c-mem doctor`.",
    });
  }
  const files = findTranscripts(env, settings, { agent: checkAgent(agent) }).filter(
    ({ file }) => session === undefined || file.sessionId.startsWith(session),
  );
  const context = startSync(db, paths, env, { force, project });
  const maxBytes = settings.maxTranscriptMb * 1024 * 1024;
  return {
    settings,
    context,
    files,
    pending: files.filter(({ file }) => file.bytes <= maxBytes && !isUnchanged(file, context)),
    tooLarge: files.filter(({ file }) => file.bytes > maxBytes).map(({ file }) => file.path),
  };
}
