// The folders and the environment of a tool. Everything it starts has its home folder in the environment, which is how
// its background processes are found and stopped.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";

export interface Place {
  /** The folder with node_modules. */
  install: string;
  /** The folder of the Node that runs the tools. */
  node: string;
  home: string;
  /** The working directory of the agent's session. */
  project: string;
  env: Record<string, string>;
}

export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
  ms: number;
}

/** The folder of the Node that runs this. */
export const OWN_NODE = dirname(realpathSync(process.execPath));
/** Nothing listens here: a tool that honours a proxy cannot reach the internet. */
const NO_NETWORK = "http://127.0.0.1:9";

export function createPlace(install: string, home: string, node: string): Place {
  const project = join(home, "work", "app");
  for (const folder of [project, join(home, "tmp"), join(home, ".claude")]) mkdirSync(folder, { recursive: true });
  return {
    install,
    node,
    home,
    project,
    env: {
      PATH: [join(install, "node_modules", ".bin"), node, "/usr/bin", "/bin"].join(":"),
      HOME: home,
      TMPDIR: join(home, "tmp"),
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_DATA_HOME: join(home, ".local", "share"),
      XDG_CACHE_HOME: join(home, ".cache"),
      LANG: "C.UTF-8",
      DO_NOT_TRACK: "1",
      HTTP_PROXY: NO_NETWORK,
      HTTPS_PROXY: NO_NETWORK,
      NO_PROXY: "127.0.0.1,localhost",
    },
  };
}

/** The environment for npm: its cache is in the temporary folder, the user's registry setting is kept. */
export function npmEnv(place: Place): Record<string, string> {
  const { HTTP_PROXY: _, HTTPS_PROXY: __, ...env } = place.env;
  const node = dirname(place.node);
  const inherited = Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|node_extra_ca)/i.test(name),
  );
  return {
    ...env,
    ...(Object.fromEntries(inherited) as Record<string, string>),
    npm_config_cache: join(place.home, ".npm"),
    npm_config_userconfig: join(homedir(), ".npmrc"),
    // For native modules that are compiled because no binary can be fetched.
    ...(existsSync(join(node, "include", "node")) ? { npm_config_nodedir: node } : {}),
  };
}

export interface RunOptions {
  input?: string;
  env?: Record<string, string>;
  cwd?: string;
  timeoutMs: number;
}

/** Never throws: a timeout has the status null. */
export async function run(
  place: Place,
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  const start = performance.now();
  const child = spawn(command, args, {
    cwd: options.cwd ?? place.project,
    env: options.env ?? place.env,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: options.timeoutMs,
    killSignal: "SIGKILL",
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  // A background process may keep the pipes open, so the exit of the process is what counts.
  const exited = new Promise<number | null>((done) => {
    child.once("error", () => done(null));
    child.once("exit", (status) => done(status));
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const status = await exited;
  const ms = performance.now() - start;
  const [stdout, stderr] = await Promise.race([output, wait(500).then(() => ["", ""] as const)]);
  child.stdout.destroy();
  child.stderr.destroy();
  return { status, stdout, stderr, ms };
}

export async function mustRun(
  place: Place,
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  return check(await run(place, command, args, options), [command, ...args.slice(0, 3)].join(" "));
}

export function wait(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** Processes whose home folder is this one or below it. */
export function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => homeOf(pid).some((home) => home === folder || home.startsWith(`${folder}/`)))
    .map(Number);
}

function homeOf(pid: string): string[] {
  try {
    const env = readFileSync(join("/proc", pid, "environ"), "utf8").split("\0");
    return env.filter((entry) => entry.startsWith("HOME=")).map((entry) => entry.slice(5));
  } catch {
    return [];
  }
}

/** Kills until no process is left, because some start others. Returns how many there were. */
export function killAllIn(folder: string): number {
  const killed = new Set<number>();
  for (let round = 0; round < 20; round++) {
    const found = processesIn(folder);
    if (found.length === 0) break;
    for (const pid of found) {
      killed.add(pid);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
  }
  return killed.size;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

export function runNpm(place: Place, args: readonly string[], options: Omit<RunOptions, "env">): Promise<Outcome> {
  const path = process.env["npm_execpath"] ?? "npm";
  const [command, first] = path.endsWith(".js") ? ["node", [path]] : ["npm", []];
  return run(place, command, [...first, ...args], { ...options, env: npmEnv(place) });
}

export function check(outcome: Outcome, name: string): Outcome {
  if (outcome.status === 0) return outcome;
  const why = (outcome.stderr || outcome.stdout).trim().split("\n").slice(-4).join(" ");
  throw new Error(`${name}: ${outcome.status === null ? "timeout" : why}`);
}
