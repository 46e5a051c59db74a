// Installs a tool from npm into an empty folder with an empty cache, and measures time and size.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderSize } from "../../src/platform/read-file.ts";
import type { Contestant } from "./contestant.ts";
import { check, createPlace, OWN_NODE, type Place, runNpm } from "./place.ts";

const TIMEOUT_MS = 8 * 60_000;

export interface Installed {
  version: string;
  seconds: number;
  megabytes: number;
  note?: string;
}

/** The Node that runs the tools: better-sqlite3 up to 12, which several use, crashes on Node 24.19 and later. */
const NODE_MAJOR = 22;

/** Returns the folder of its program. */
export async function installNode(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const place = createPlace(folder, join(folder, "install-home"), OWN_NODE);
  const name = `node-${process.platform}-${process.arch}`;
  const options = { cwd: folder, timeoutMs: TIMEOUT_MS };
  check(
    await runNpm(place, ["install", "--no-audit", "--no-fund", `${name}@${NODE_MAJOR}`], options),
    `npm install ${name}`,
  );
  return join(folder, "node_modules", name, "bin");
}

export async function install(contestant: Contestant, folder: string, node: string): Promise<Installed> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const place = createPlace(folder, join(folder, "install-home"), node);
  const start = performance.now();
  const note = await npmInstall(contestant, place);
  await contestant.finishInstall?.(place);
  const seconds = (performance.now() - start) / 1000;
  const megabytes = folderSize(join(folder, "node_modules")).bytes / 1e6;
  const [spec = ""] = contestant.packages;
  const name = contestant.packageName ?? nameOf(spec);
  const manifest = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  return { version, seconds, megabytes, ...(note === undefined ? {} : { note }) };
}

async function npmInstall({ packages }: Contestant, place: Place): Promise<string | undefined> {
  const options = { cwd: place.install, timeoutMs: TIMEOUT_MS };
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages];
  const first = await runNpm(place, args, options);
  if (first.status === 0) return undefined;
  if (!first.stderr.includes("ETARGET")) throw new Error(`npm install: ${lastLines(first.stderr)}`);
  // A dependency of a dependency is not (or no longer) published: install as of the day after the tool's release.
  const day = await dayAfterRelease(packages[0] ?? "", place);
  check(await runNpm(place, [...args, `--before=${day}`], options), "npm install");
  return `with its dependencies as of ${day}, because newer ones are not all published`;
}

async function dayAfterRelease(spec: string, place: Place): Promise<string> {
  const options = { cwd: place.install, timeoutMs: 60_000 };
  const { stdout } = check(
    await runNpm(place, ["view", nameOf(spec), "version", "time", "--json"], options),
    "npm view",
  );
  const { version, time } = JSON.parse(stdout) as { version: string; time: Record<string, string> };
  const released = Date.parse(time[version] ?? "");
  return new Date(released + 24 * 3_600_000).toISOString().slice(0, 10);
}

/** "@scope/name@13" -> "@scope/name" */
function nameOf(spec: string): string {
  return spec.replace(/(?!^)@[^@/]*$/, "");
}

function lastLines(text: string): string {
  return text
    .split("\n")
    .filter((line) => line.startsWith("npm error"))
    .slice(0, 4)
    .join(" ")
    .replaceAll(/https?:\/\/\S+/g, "(address)");
}
