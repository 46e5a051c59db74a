// C-Mem as one more contestant, installed from the tarball that `npm pack` makes.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readChatRequest } from "../../../test/conformance/model-request.ts";
import { ROOT } from "../../measure.ts";
import { replyTo } from "../../tokens.ts";
import type { Contestant } from "../contestant.ts";
import { createPlace, mustRun, npmEnv, type Place, run, wait } from "../place.ts";

const TIMEOUT_MS = 10 * 60_000;
const cli = (place: Place): string => join(place.install, "node_modules", "c-mem", "bin", "c-mem.cjs");
const plugin = (place: Place): string => join(place.install, "node_modules", "c-mem", "plugin");
const command = (place: Place, ...args: string[]) =>
  mustRun(place, "node", [cli(place), ...args], { timeoutMs: TIMEOUT_MS });

export function cMem(tarball: string): Contestant {
  return {
    name: "C-Mem",
    packages: [tarball],
    packageName: "c-mem",
    purpose: "records sessions by hooks, imports transcripts of seven agents, injects and searches them",
    extra: "",
    missing: {},
    async prepare(place, { url, isWanted }) {
      const home = join(place.home, ".c-mem");
      mkdirSync(home, { recursive: true, mode: 0o700 });
      const settings = { provider: "openai", model: "scripted", baseUrl: `${url}/v1` };
      if (isWanted) writeFileSync(join(home, "config.json"), JSON.stringify(settings), { mode: 0o600 });
    },
    hooks: (place) => ({ path: join(plugin(place), "hooks", "hooks.json"), root: plugin(place) }),
    async settle(place) {
      await run(place, "node", [cli(place), "worker", "run", "--once"], { timeoutMs: TIMEOUT_MS });
      await wait(1_000);
    },
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

/** Packs the built package as it is published: without scripts and with no dependencies, because all are bundled. */
export async function packCMem(folder: string): Promise<string> {
  const staging = join(folder, "package");
  const place = createPlace(folder, join(folder, "pack-home"));
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
  const options = { cwd: staging, env: npmEnv(place), timeoutMs: 120_000 };
  await mustRun(place, "npm", ["pack", "--pack-destination", folder, "--ignore-scripts"], options);
  return join(folder, `${manifest.name}-${manifest.version}.tgz`);
}
