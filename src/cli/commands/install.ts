// c-mem install: adds the hooks to Claude Code and other agents.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  backupSettings,
  copyPlugin,
  type InstallOptions,
  isCopied,
  type PluginCopy,
  registerHooks,
  registerPlugin,
  registerStatusLine,
  settingsHash,
} from "../../agents/claude-code/install.ts";
import { isReadByClaudeCode } from "../../agents/claude-code/settings.ts";
import { type ClaudeSite, findClaude, inspectClaude } from "../../agents/claude-code/site.ts";
import type { Step } from "../../agents/setup.ts";
import {
  type InstalledSite,
  type InstallRecord,
  readInstall,
  writeInstall,
} from "../../platform/state/install-record.ts";
import { loadSettings } from "../../config/load.ts";
import type { Env, Paths } from "../../config/paths.ts";
import { PROVIDERS, type SettingKey } from "../../config/schema.ts";
import { writeSettings } from "../../config/write.ts";
import { AppError } from "../../core/error.ts";
import { VERSION } from "../../core/version.ts";
import { CLAUDE_CODE, chooseAgents, INSTALLABLE, currentWorkingTree, setupsOf } from "../agent-choice.ts";
import { agentContext } from "../../health/agents.ts";
import { type AgentPlan, planInstall } from "../agent-plan.ts";
import { applyPlan } from "../apply-plan.ts";
import { askYesNo, canAsk } from "../prompts.ts";
import { EXIT, say } from "../output.ts";
import { STDERR } from "../../platform/terminal/style.ts";
import { providerNotice } from "../../queries/provider-notice.ts";
import { fetchedNode, fetchNode, findNode } from "../runtime.ts";
import { startWorkerIfEnabled } from "../worker-control.ts";
import { chooseWriter, type WriterChoice } from "../writer-choice.ts";
import { defineCommand, DRY_RUN, YES } from "../command.ts";
import { fields, type InputOf } from "../../queries/fields.ts";

const FIELDS = fields({
  agents: {
    kind: "list",
    position: "[agent...]",
    choices: INSTALLABLE,
    about: "agents to set up (default: asks; if it cannot ask, claude-code)",
  },
  ...YES,
  ...DRY_RUN,
  method: {
    kind: "text",
    value: "method",
    choices: ["plugin", "settings"],
    about: "how (default: as installed, else plugin if there is a claude command)",
  },
  claude: { kind: "text", value: "path", about: "the claude executable to use" },
  sync: { kind: "flag", isNegative: true, about: "do not import earlier sessions" },
  statusline: { kind: "flag", about: "show C-Mem in the status line (asked on a terminal)" },
  noStatusline: { kind: "flag", about: "remove C-Mem from the status line" },
  provider: {
    kind: "text",
    value: "name",
    choices: PROVIDERS,
    about: "who writes the memory (asked on a terminal; default: none)",
  },
});

export const command = defineCommand({
  about: "set up C-Mem in Claude Code or other agents",
  fields: FIELDS,
  details: "Shows all changes and asks before the first one.",
  async run(input, { json, paths, env }) {
    const named = input.agents ?? [];
    const isAsked = canAsk() && !input.yes && !input.dryRun;
    const record = readInstall(paths.install);
    const names = named.length > 0 ? named : await chooseAgents(env, isAsked, Object.keys(record?.agents ?? {}));
    if (names.length === 0) {
      say("Nothing was changed.");
      return EXIT.failure;
    }
    const usable = await findNode(env, paths.runtime);
    const node = usable ?? fetchedNode(paths.runtime);
    const claude = names.includes(CLAUDE_CODE) ? await planClaude(input, paths, env, node, record) : undefined;
    const context = agentContext(paths, env, node);
    const here = currentWorkingTree(process.cwd());
    const others = setupsOf(names).map((setup) => planInstall(setup, context, record?.agents?.[setup.id], here));
    const registration = [...(claude?.steps ?? []), ...others.flatMap(({ steps }) => steps)];
    const provider = await chooseProvider(input, isAsked, paths, env);
    const source = fileURLToPath(new URL("../plugin", import.meta.url));
    const copy: PluginCopy = { source, target: paths.plugin, node, cache: paths.cache };
    const isCurrent = record?.version === VERSION && record.node === node && isCopied(copy);
    const changes: Step[] = [
      ...(usable === undefined ? [fetchNode(env, paths.runtime)] : []),
      ...provider,
      ...(isCurrent ? [] : [copyPlugin(copy)]),
      ...(claude?.backup ?? []),
    ];
    const saveRecord = (isDone: boolean) =>
      writeInstall(paths.install, {
        version: VERSION,
        node,
        installedAt: Date.now(),
        // With --no-sync the worker does not import earlier sessions either, until the next `c-mem sync`.
        ...(!input.sync && { historySince: record?.historySince ?? Date.now() }),
        sites: { ...record?.sites, ...claude?.site(isDone) },
        ...agentsOfRecord(record, others, isDone),
      });
    // Recorded before the first change to an agent's files, so that uninstall can undo a failed install.
    const started: Step = { about: `record the installation in ${paths.install}`, run: () => saveRecord(false) };
    const steps =
      changes.length + registration.length === 0
        ? []
        : [...changes, started, ...registration, ...(input.sync ? [importSessions(node, env)] : [])];
    const labels = [...(claude === undefined ? [] : ["Claude Code"]), ...others.map(({ setup }) => setup.label)];
    return applyPlan({
      command: "install",
      steps,
      question: "Apply these changes?",
      yes: input.yes,
      dryRun: input.dryRun,
      json,
      nothing: `C-Mem ${VERSION} is already installed in ${claude?.configDir ?? labels.join(", ")}.`,
      after: () => {
        saveRecord(true);
        startWorkerIfEnabled(paths);
      },
      done: [
        `Done. The next session in ${new Intl.ListFormat("en", { type: "disjunction" }).format(labels)} is recorded. ${input.sync ? "`c-mem search <words>` finds earlier sessions; " : ""}\`c-mem status\` shows the state.`,
        ...others.map(({ setup }) => setup.afterwards),
      ].join("\n"),
    });
  },
});

type Input = InputOf<typeof FIELDS>;

interface ClaudePlan {
  configDir: string;
  backup: Step[];
  steps: Step[];
  /** Claude Code's part of the install record, before and after the steps. */
  site(isDone: boolean): Record<string, InstalledSite>;
}

async function planClaude(
  input: Input,
  paths: Paths,
  env: Env,
  node: string,
  record: InstallRecord | undefined,
): Promise<ClaudePlan> {
  const site = inspectClaude(env);
  const claude = input.claude ?? findClaude(env);
  const known = record?.sites[site.configDir];
  // Only --method moves the hooks of an existing install between plugin and settings.json.
  const installed = site.pluginEnabled ? "plugin" : known?.method;
  const method = input.method ?? installed ?? (claude === undefined ? "settings" : "plugin");
  const options: InstallOptions = { site, env, claude, target: paths.plugin, node, cache: paths.cache };
  const backup = backupPath(paths, site, record);
  const steps = [
    ...(method === "plugin" ? registerPlugin(options) : registerHooks(options)),
    ...registerStatusLine(options, await wantsStatusLine(site, input)),
  ];
  const madeFolder = known?.madeFolder ?? !existsSync(site.configDir);
  const isUntouched = known === undefined || known.settingsHash === settingsHash(site);
  // Uninstall must not overwrite settings that the user changed since the first install.
  const hashToKeep = () => {
    if (!isUntouched) return null;
    return steps.length > 0 ? settingsHash(site) : (known?.settingsHash ?? null);
  };
  if (site.settingsText !== undefined && !isReadByClaudeCode(site.settingsText)) {
    say(
      `warning: Claude Code ignores ${site.settingsPath} while it has comments or trailing commas; hooks in it do not run.`,
    );
  }
  return {
    configDir: site.configDir,
    backup: steps.length > 0 && backup !== undefined && !existsSync(backup) ? backupSettings(site, backup) : [],
    steps,
    site: (isDone) => ({
      [site.configDir]: {
        method,
        backup: backup ?? null,
        settingsHash: isDone ? hashToKeep() : null,
        ...(madeFolder && { madeFolder }),
      },
    }),
  };
}

/** True: add the status line, or update it. Asks on a terminal. Throws if that would replace another tool's. */
async function wantsStatusLine(site: ClaudeSite, input: Input): Promise<boolean> {
  const wanted = input.statusline ? true : input.noStatusline ? false : undefined;
  if (site.statusLine === "other") {
    if (wanted !== true) return false;
    throw new AppError(
      "status_line_taken",
      `${site.settingsPath} already has another status line; it was not changed.`,
      {
        hint: "Call `c-mem statusline` in your own script with its stdin, or remove that status line first.",
      },
    );
  }
  if (wanted !== undefined) return wanted;
  if (site.statusLine === "ours") return true;
  const isAsked = canAsk() && !input.yes && !input.dryRun;
  return isAsked && askYesNo("Show C-Mem in Claude Code's status line?");
}

function agentsOfRecord(record: InstallRecord | undefined, plans: readonly AgentPlan[], isDone: boolean) {
  const installed = plans.map((plan) => [plan.setup.id, isDone ? plan.installed() : plan.started()] as const);
  const agents = { ...record?.agents, ...Object.fromEntries(installed) };
  return Object.keys(agents).length > 0 ? { agents } : {};
}

/** Asks until the user has chosen once. Without a terminal, the built-in extractor is used. */
async function chooseProvider(input: Input, isAsked: boolean, paths: Paths, env: Env): Promise<Step[]> {
  const { values, sources } = loadSettings({ user: paths.config }, env);
  const isOpen = sources.provider === "default";
  if (input.provider === undefined) {
    return isAsked && isOpen ? [setProvider(await chooseWriter(values, env, Date.now()), paths, env)] : [];
  }
  return values.provider === input.provider ? [] : [setProvider({ provider: input.provider }, paths, env)];
}

function setProvider(choice: Partial<WriterChoice>, paths: Paths, env: Env): Step {
  const { values } = loadSettings({ user: paths.config }, env);
  const named = Object.entries(choice).filter(([, value]) => value !== undefined);
  const unnamed = Object.keys(choice).filter((key) => !named.some(([name]) => name === key));
  const after = { ...values, ...Object.fromEntries(unnamed.map((key) => [key, ""])), ...Object.fromEntries(named) };
  const notice = providerNotice("provider", after, env) ?? "";
  const changes = choice as Partial<Record<SettingKey, unknown>>;
  return {
    about: [
      `set ${named.map(([key, value]) => `${key} to ${value}`).join(", ")} in ${paths.config}`,
      ...notice.split("\n").filter((line) => line !== ""),
    ].join("\n    "),
    run: () => writeSettings(paths.config, changes),
  };
}

/** In a child process, because this Node may lack SQLite. */
function importSessions(node: string, env: NodeJS.ProcessEnv): Step {
  return {
    about: "import earlier sessions (c-mem sync)",
    run() {
      // Ignores a failure: `c-mem sync` can run later. Output goes to stderr, because stdout is for JSON.
      spawnSync(node, [process.argv[1] ?? "", "sync"], { stdio: ["ignore", STDERR, STDERR], env });
    },
  };
}

/** The backup of the settings from before the first install, which uninstall restores. */
function backupPath(paths: Paths, site: ClaudeSite, record: InstallRecord | undefined): string | undefined {
  const known = record?.sites[site.configDir];
  if (known !== undefined) return known.backup ?? undefined;
  if (site.settingsText === undefined) return undefined;
  return join(paths.backups, `claude-settings-${new Date().toISOString().replace(/[:.]/g, "-")}.json`);
}
