// Runs the git program to read a repository: without a shell, network or helper programs, and with limits. The
// repository may be hostile: its own config must not make git start anything.
import { execFile } from "node:child_process";
import { dirname } from "node:path";

export interface GitOptions {
  /** Text for git's stdin. */
  input?: string;
  timeoutMs?: number;
  /** If git prints more, it is stopped and the call fails. */
  maxBytes?: number;
  signal?: AbortSignal | undefined;
  env?: Readonly<Record<string, string | undefined>>;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** Settings by which a repository could have git run a program, or that change what git prints. */
const SETTINGS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.quotePath=false",
  "core.sshCommand=false",
  "credential.helper=",
  "diff.interHunkContext=0",
  "diff.mnemonicPrefix=false",
  "diff.noprefix=false",
  "diff.orderFile=/dev/null",
  // "diff" runs git in the submodule, with the programs that its config names.
  "diff.submodule=short",
  "grep.column=false",
  "i18n.logOutputEncoding=UTF-8",
  "log.showRoot=true",
  "log.showSignature=false",
  "submodule.recurse=false",
  "color.ui=false",
].flatMap((setting) => ["-c", setting]);

/** Undefined if git is missing, fails, or exceeds a limit: callers then do without it. */
export function runGit(top: string, args: readonly string[], options: GitOptions = {}): Promise<string | undefined> {
  const { input, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal, env = process.env } = options;
  return new Promise((resolve) => {
    const child = execFile(
      "git",
      ["--no-pager", ...SETTINGS, "-C", top, ...args],
      {
        // On Windows a program in the current folder would run instead of git.
        cwd: dirname(process.execPath),
        env: gitEnv(env),
        encoding: "utf8",
        timeout: timeoutMs,
        killSignal: "SIGKILL",
        maxBuffer: maxBytes,
        windowsHide: true,
        ...(signal !== undefined && { signal }),
      },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}

/** git quotes names with line ends, quotes or tabs like a string in C. */
export function unquoteName(name: string): string {
  if (!name.startsWith('"')) return name;
  const bytes = name
    .slice(1, -1)
    .split(/\\([0-7]{3}|.)/)
    .map((part, index) => {
      if (index % 2 === 0) return Buffer.from(part);
      if (/^[0-7]{3}$/.test(part)) return Buffer.from([Number.parseInt(part, 8)]);
      return Buffer.from(ESCAPES[part] ?? part);
    });
  return Buffer.concat(bytes).toString("utf8");
}

const ESCAPES: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** Without GIT_DIR and other variables that a hook of git would pass on. */
export function gitEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^(?:GIT_|SSH_ASKPASS|LC_|LANG$)/i.test(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    // Older versions fetch missing objects of a partial clone, with whatever program its config names.
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ATTR_NOSYSTEM: "1",
    LC_ALL: "C",
  };
}
