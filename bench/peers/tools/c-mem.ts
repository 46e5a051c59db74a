// C-Mem as one more contestant, installed from the tarball that `npm pack` makes.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { listFolder } from "../../../src/platform/read-file.ts";
import { readChatRequest } from "../../../test/conformance/model-request.ts";
import { ROOT } from "../../measure.ts";
import { replyTo } from "../../tokens.ts";
import type { Contestant } from "../contestant.ts";
import { check, createPlace, mustRun, OWN_NODE, type Place, runNpm, wait } from "../place.ts";

const TIMEOUT_MS = 10 * 60_000;
const SETTLE_LIMIT_MS = 60_000;
/** A turn's job waits three seconds after the turn. */
const SOON_MS = 5_000;
const cli = (place: Place): string => join(place.install, "node_modules", "c-mem", "bin", "c-mem.cjs");
const plugin = (place: Place): string => join(place.install, "node_modules", "c-mem", "plugin");
const command = (place: Place, ...args: string[]) =>
  mustRun(place, "node", [cli(place), ...args], { timeoutMs: TIMEOUT_MS });

export function cMem(tarball: string): Contestant {
  return {
    name: "C-Mem",
    packages: [tarball],
    packageName: "c-mem",
    purpose: "records sessions by hooks, imports transcripts of several agents, injects and searches them",
    extra: "",
    missing: {},
    async prepare(place, { url, isWanted }) {
      const home = join(place.home, ".c-mem");
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const settings = { provider: "openai", model: "scripted", baseUrl: `${url}/v1` };
      if (isWanted) writeFileSync(join(home, "config.json"), JSON.stringify(settings), { mode: 0o600 });
    },
    hooks: (place) => ({ path: join(plugin(place), "hooks", "hooks.json"), root: plugin(place) }),
    settle: whenIdle,
    search: {
      source: "transcripts",
      how: "MCP tool `search`, its list of sessions, keyword indexes (the search model is an optional download)",
      server: (place) => ({ command: "node", args: [join(plugin(place), "dist", "mcp.cjs")] }),
      load: async (place) => void (await command(place, "sync", "--quiet")),
      async find(client, query, sessions) {
        const limits = { limit: 50, max_tokens: 20_000 };
        const text = await client.call("search", { query, project: "all", ...limits });
        const ids = [...text.matchAll(/claude-code ([0-9a-f-]{4,})/g)].map((match) => match[1] ?? "");
        return ids.flatMap((id) => sessions.find((session) => session.id.startsWith(id))?.id ?? []);
      },
    },
    modelReply(body) {
      return JSON.stringify(replyTo(readChatRequest(body)) ?? {});
    },
  };
}

/** Waits until the worker, which hooks have started, has drained the spool and has no job that is due soon. */
async function whenIdle({ home }: Place): Promise<void> {
  const data = join(home, ".c-mem");
  const end = Date.now() + SETTLE_LIMIT_MS;
  for (let quiet = 0; quiet < 2 && Date.now() < end;) {
    await wait(1_000);
    quiet = listFolder(join(data, "spool")).length === 0 && dueJobs(join(data, "c-mem.db")) === 0 ? quiet + 1 : 0;
  }
}

function dueJobs(path: string): number {
  if (!existsSync(path)) return 0;
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const sql = "SELECT count(*) AS jobs FROM jobs WHERE status IN ('pending', 'running') AND run_after < ?";
    return Number(db.prepare(sql).get(Date.now() + SOON_MS)?.["jobs"]);
  } catch {
    // Another process is creating the tables.
    return 1;
  } finally {
    db.close();
  }
}

/** Packs the built package as it is published: without scripts and with no dependencies, because all are bundled. */
export async function packCMem(folder: string): Promise<string> {
  const staging = join(folder, "package");
  const place = createPlace(folder, join(folder, "pack-home"), OWN_NODE);
  const text = readFileSync(join(ROOT, "package.json"), "utf8");
  const {
    dependencies: _,
    devDependencies: __,
    overrides: ___,
    scripts: ____,
    ...manifest
  } = JSON.parse(text) as {
    files: string[];
    name: string;
    version: string;
    [field: string]: unknown;
  };
  mkdirSync(staging, { recursive: true });
  writeFileSync(join(staging, "package.json"), JSON.stringify(manifest, null, 2));
  for (const file of [...manifest.files, "README.md", "LICENSE"])
    cpSync(join(ROOT, file), join(staging, file), { recursive: true });
  const options = { cwd: staging, timeoutMs: 120_000 };
  check(await runNpm(place, ["pack", "--pack-destination", folder, "--ignore-scripts"], options), "npm pack");
  return join(folder, `${manifest.name}-${manifest.version}.tgz`);
}
