// Every command by group. A command is loaded when it runs, or for the help.
import { type Command, commandOf } from "./command.ts";

type Load = () => Promise<Command>;

/** A command that only runs a query. */
const query =
  (load: () => Promise<Parameters<typeof commandOf>[0]>): Load =>
  async () =>
    commandOf(await load());

/** A command with a file in `commands/`. */
const fromFile =
  (load: () => Promise<{ command: Command }>): Load =>
  async () =>
    (await load()).command;

export const COMMAND_GROUPS: readonly { title: string; commands: Readonly<Record<string, Load>> }[] = [
  {
    title: "Search and read",
    commands: {
      search: query(async () => (await import("../queries/search.ts")).search),
      list: query(async () => (await import("../queries/list.ts")).list),
      show: query(async () => (await import("../queries/show.ts")).show),
      timeline: query(async () => (await import("../queries/timeline.ts")).timeline),
      observations: query(async () => (await import("../queries/observations.ts")).observations),
      blame: query(async () => (await import("../queries/blame.ts")).blame),
      why: query(async () => (await import("../queries/why.ts")).why),
      fix: query(async () => (await import("../queries/fix.ts")).fix),
      how: query(async () => (await import("../queries/how.ts")).how),
      related: query(async () => (await import("../queries/related.ts")).related),
      efforts: query(async () => (await import("../queries/efforts.ts")).efforts),
      effort: query(async () => (await import("../queries/efforts.ts")).effort),
      resume: fromFile(() => import("./commands/resume.ts")),
      context: fromFile(() => import("./commands/context.ts")),
      open: fromFile(() => import("./commands/open.ts")),
    },
  },
  {
    title: "Write and correct",
    commands: {
      remember: query(async () => (await import("../queries/user-edits.ts")).remember),
      pin: query(async () => (await import("../queries/user-edits.ts")).pin),
      unpin: query(async () => (await import("../queries/user-edits.ts")).unpin),
      edit: async () => (await import("./commands/user-edits.ts")).edit,
      supersede: async () => (await import("./commands/user-edits.ts")).supersede,
      wrong: async () => (await import("./commands/user-edits.ts")).wrong,
      forget: fromFile(() => import("./commands/forget.ts")),
      ignore: fromFile(() => import("./commands/ignore.ts")),
      purge: fromFile(() => import("./commands/purge.ts")),
      audit: fromFile(() => import("./commands/audit.ts")),
    },
  },
  {
    title: "Data",
    commands: {
      sync: fromFile(() => import("./commands/sync.ts")),
      rebuild: fromFile(() => import("./commands/rebuild.ts")),
      export: fromFile(() => import("./commands/export.ts")),
      import: fromFile(() => import("./commands/import.ts")),
      backup: fromFile(() => import("./commands/backup.ts")),
      projects: query(async () => (await import("../queries/projects.ts")).projects),
      stats: fromFile(() => import("./commands/stats.ts")),
      cost: query(async () => (await import("../queries/cost.ts")).cost),
      impact: query(async () => (await import("../queries/impact.ts")).impact),
    },
  },
  {
    title: "Set up and maintain",
    commands: {
      install: fromFile(() => import("./commands/install.ts")),
      uninstall: fromFile(() => import("./commands/uninstall.ts")),
      status: async () => commandOf((await import("../queries/status.ts")).status, { startsWorker: false }),
      doctor: fromFile(() => import("./commands/doctor.ts")),
      worker: fromFile(() => import("./commands/worker.ts")),
      logs: fromFile(() => import("./commands/logs.ts")),
      "bug-report": fromFile(() => import("./commands/bug-report.ts")),
      model: fromFile(() => import("./commands/model.ts")),
      config: fromFile(() => import("./commands/config.ts")),
      mcp: async () => (await import("./commands/run-by-agents.ts")).mcp,
      statusline: fromFile(() => import("./commands/statusline.ts")),
      completions: fromFile(() => import("./commands/completions.ts")),
    },
  },
];

/** Run by agents with JSON on stdin. Without it they print a usage error. */
const HOOK_COMMANDS: ReadonlySet<string> = new Set(["new", "save", "recall", "summary", "cleanup"]);

export const COMMAND_NAMES: readonly string[] = COMMAND_GROUPS.flatMap(({ commands }) => Object.keys(commands));

export async function loadCommand(name: string): Promise<Command | undefined> {
  if (HOOK_COMMANDS.has(name)) return (await import("./commands/run-by-agents.ts")).hook;
  const load = COMMAND_GROUPS.map(({ commands }) => (Object.hasOwn(commands, name) ? commands[name] : undefined));
  return await load.find((one) => one !== undefined)?.();
}
