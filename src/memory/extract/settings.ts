// Dependencies and settings that changed: which, where, from what to what.
import type { Observation } from "../../core/memory.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { baseName } from "./changes.ts";
import type { Run } from "./commands.ts";
import { editLines } from "./edits.ts";
import { clip } from "../../core/prose.ts";

interface Setting {
  kind: "dependency" | "setting";
  path: string;
  name: string;
  before: string | undefined;
  after: string | undefined;
  evidence: string[];
}

const MANIFEST =
  /(?:^|\/)(?:package\.json|pyproject\.toml|requirements[\w.-]*\.txt|Cargo\.toml|go\.mod|Gemfile|composer\.json|build\.gradle(?:\.kts)?|pom\.xml)$/;
const CONFIG =
  /(?:^|\/)(?:tsconfig[\w.-]*\.json|jsconfig\.json|\.?[\w-]*rc(?:\.json|\.ya?ml)?|[\w.-]+\.config\.[cm]?[jt]s|biome\.jsonc?|Dockerfile[\w.-]*|docker-compose[\w.-]*\.ya?ml|compose\.ya?ml|settings(?:\.local)?\.json|config\.(?:json|ya?ml|toml)|\.env[\w.-]*|turbo\.json|vercel\.json|netlify\.toml|wrangler\.toml|fly\.toml|Makefile|\.gitignore|\.npmrc|release-please-config\.json)$|(?:^|\/)\.github\/(?:workflows|dependabot)[\w./-]*\.ya?ml$|(?:^|\/)\.gitlab-ci\.yml$/;
const MAX_SETTINGS = 12;
const MAX_FILES = 3;
const SUBJECT_CHARS = 200;

export function settingsOf(evidence: TurnEvidence, runs: readonly Run[]): Setting[] {
  const settings = new Map<string, Setting>();
  for (const use of evidence.toolUses) {
    for (const { path, added, removed } of editLines(use)) {
      const read = MANIFEST.test(path) ? dependencyOf(path) : CONFIG.test(path) ? settingOf : undefined;
      if (read === undefined) continue;
      const before = new Map(removed.flatMap((line) => pair(read(line))));
      const after = new Map(added.flatMap((line) => pair(read(line))));
      for (const name of new Set([...before.keys(), ...after.keys()])) {
        const known = settings.get(`${path}\n${name}`);
        const setting: Setting = {
          kind: MANIFEST.test(path) ? "dependency" : "setting",
          path,
          name,
          before: known === undefined ? before.get(name) : known.before,
          after: after.get(name),
          evidence: [...(known?.evidence ?? []), use.id],
        };
        settings.set(`${path}\n${name}`, setting);
      }
    }
  }
  for (const run of runs) for (const setting of installed(run)) addInstalled(settings, setting);
  return [...settings.values()].filter((one) => one.before !== one.after).slice(0, MAX_SETTINGS);
}

function pair(entry: { name: string; value: string } | undefined): [string, string][] {
  return entry === undefined ? [] : [[entry.name, entry.value]];
}

const VERSION = /^(?:[\^~><=v]|workspace:|npm:|file:|link:|catalog:|git\+|github:|\*$|latest$|\d+(?:\.\d+)*)/;

function dependencyOf(path: string): (line: string) => { name: string; value: string } | undefined {
  return (line) => {
    const [, name, value] =
      (path.endsWith(".json")
        ? /^\s*"((?:@[\w.-]+\/)?[\w.-]+)":\s*"([^"]{1,60})",?\s*$/
        : path.endsWith(".toml")
          ? /^\s*"?([A-Za-z][\w.-]*)"?\s*=\s*(?:\{[^}]*version\s*=\s*)?"([^"]{1,60})"/
          : path.endsWith("go.mod")
            ? /^\s*(?:require )?([\w.-]+\.[\w./-]+)\s+(v[\w.+-]+)/
            : /^\s*(?:gem )?['"]?([A-Za-z][\w.-]*)['"]?\s*(?:,\s*['"]|==|>=|~=|<=)\s*([\w.*^~>= -]{1,30})/
      ).exec(line) ??
      /^\s*"([A-Za-z][\w.-]*)(?:\[[\w,-]+\])?\s*([=<>~!^][^"]{0,40})",?\s*$/.exec(line) ??
      [];
    if (name === undefined || value === undefined) return undefined;
    return VERSION.test(value.trim()) && name !== "version" ? { name, value: value.trim() } : undefined;
  };
}

/** `key: value`, `key = value`, `"key": value`, `FROM image`: one line, one plain value. */
function settingOf(line: string): { name: string; value: string } | undefined {
  if (/^\s*(?:\/\/|#|\/?\*|<!--)/.test(line)) return undefined;
  const from = /^\s*FROM\s+([\w./:@-]+)/i.exec(line)?.[1];
  if (from !== undefined) return { name: "FROM", value: from };
  const [, name, value] = /^\s*-?\s*["']?([A-Za-z_][\w.-]{1,60})["']?\s*[:=]\s*(\S.{0,80}?),?\s*$/.exec(line) ?? [];
  if (name === undefined || value === undefined || /[{[(|>]$|=>|^\(|\bfunction\b|\$[({]|\s&&\s/.test(value))
    return undefined;
  return { name, value: value.replace(/^(["'])(.*)\1$/, "$2") };
}

const ADDS =
  /^(?:npm (?:i|install|add)|pnpm add|yarn add|bun add|uv add|poetry add|cargo add|go get|composer require)\s+(.+)$/;

function installed(run: Run): { name: string; version: string | undefined; id: string }[] {
  if (run.purpose !== "install" || run.use.isError) return [];
  const [, rest] = ADDS.exec(run.key) ?? [];
  return (rest ?? "")
    .split(/\s+/)
    .filter((word) => /^@?[a-z][\w./-]*(?:@[\w.^~-]+)?$/i.test(word) && !word.startsWith("-") && !word.startsWith("."))
    .slice(0, 6)
    .map((word) => {
      const at = word.lastIndexOf("@");
      return {
        name: at > 0 ? word.slice(0, at) : word,
        version: at > 0 ? word.slice(at + 1) : undefined,
        id: run.use.id,
      };
    });
}

function addInstalled(
  settings: Map<string, Setting>,
  one: { name: string; version: string | undefined; id: string },
): void {
  const known = [...settings.values()].find(({ kind, name }) => kind === "dependency" && name === one.name);
  if (known !== undefined) known.evidence.push(one.id);
  else {
    settings.set(`\n${one.name}`, {
      kind: "dependency",
      path: "",
      name: one.name,
      before: undefined,
      after: one.version ?? "",
      evidence: [one.id],
    });
  }
}

/** One alone is replaced by a later change of the same one; several of one file at once are one thing to know. */
export function settingObservations(settings: readonly Setting[]): Observation[] {
  const telling = settings.filter((one) => one.kind === "dependency" || isTelling(one));
  return [...Map.groupBy(telling, ({ kind, path }) => `${kind}:${path}`).values()]
    .slice(0, MAX_FILES)
    .map((group) => describe(group));
}

/** A setting that took another value, or one that was put into a file that was there: not the lines of a new file. */
function isTelling({ before, after, name }: Setting): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    !/^(?:name|description|title|id|key|label|version|run|uses|if|const|let|var|return|type|import|export)$/.test(name)
  );
}

function subjectOf(group: readonly Setting[]): string {
  const names = group
    .map(({ name }) => name)
    .sort()
    .join(",");
  const [first] = group;
  return clip(first?.kind === "dependency" ? `dependency:${names}` : `setting:${first?.path}:${names}`, SUBJECT_CHARS);
}

function describe(group: readonly Setting[]): Observation {
  const [first] = group as [Setting, ...Setting[]];
  const file = first.path === "" ? "" : ` in ${baseName(first.path)}`;
  const facts = group.map((one) => factOf(one));
  return {
    type: "change",
    title: `${titleOf(group)}${file}`,
    narrative: `${facts.slice(0, 3).join("; ")}${facts.length > 3 ? `; and ${facts.length - 3} more` : ""}.`,
    facts: facts.length > 1 ? facts : [],
    concepts: ["what-changed"],
    files: first.path === "" ? [] : [first.path],
    evidence: [...new Set(group.flatMap((one) => one.evidence))].slice(0, 8),
    origin: "tool",
    subject: subjectOf(group),
  };
}

const TITLE_NAMES = 3;

function titleOf(group: readonly Setting[]): string {
  const [first] = group as [Setting, ...Setting[]];
  if (group.length === 1) return changeText(first, 40);
  const verb = group.every(({ before }) => before === undefined)
    ? "Added"
    : group.every(({ after }) => after === undefined)
      ? "Removed"
      : "Changed";
  const names = group
    .slice(0, TITLE_NAMES)
    .map(({ name }) => name)
    .join(", ");
  return `${verb} ${names}${group.length > TITLE_NAMES ? ` and ${group.length - TITLE_NAMES} more` : ""}`;
}

function factOf(one: Setting): string {
  return `${changeText(one, 80)}${one.path === "" ? "" : ` (${one.path})`}`;
}

function changeText({ kind, name, before, after }: Setting, maxChars: number): string {
  const [old, now] = [before, after].map((value) => (value === undefined ? undefined : clip(value, maxChars)));
  if (old !== undefined && now !== undefined) return `${name} changed from ${old} to ${now}`;
  if (now !== undefined)
    return kind === "dependency" ? `Added ${[name, now].filter(Boolean).join(" ")}` : `${name} set to ${now}`;
  return `Removed ${name}${old === undefined ? "" : ` (${old})`}`;
}
