// Finds the dependencies and settings that a turn changed, with their old and new values.
import { asObjects, asString } from "../../core/json.ts";
import type { Observation } from "../../core/memory.ts";
import { clip } from "../../core/prose.ts";
import { listText } from "../../core/text.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { baseName } from "./changes.ts";
import type { Run } from "./commands.ts";
import { newObservation } from "./observation.ts";

interface Setting {
  kind: "dependency" | "setting";
  /** "" for a package installed by a command. */
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

export function changedSettings({ toolUses }: TurnEvidence, runs: readonly Run[]): Setting[] {
  const settings = new Map<string, Setting>();
  for (const use of toolUses) {
    for (const { path, added, removed } of editedLines(use)) {
      const kind = MANIFEST.test(path) ? "dependency" : CONFIG.test(path) ? "setting" : undefined;
      if (kind === undefined) continue;
      const read = (line: string): Entry[] => (kind === "dependency" ? readDependency(line, path) : readSetting(line));
      const [before, after] = [new Map(removed.flatMap(read)), new Map(added.flatMap(read))];
      for (const name of new Set([...before.keys(), ...after.keys()])) {
        const key = `${path}\n${name}`;
        // The first edit of the turn has the value from before the turn.
        const known = settings.get(key) ?? { before: before.get(name), evidence: [] };
        const evidence = [...known.evidence, use.id];
        settings.set(key, { kind, path, name, before: known.before, after: after.get(name), evidence });
      }
    }
  }
  for (const run of runs)
    for (const [name, version] of installedPackages(run)) {
      const known = [...settings.values()].find((one) => one.kind === "dependency" && one.name === name);
      if (known !== undefined) known.evidence.push(run.use.id);
      else {
        const added = { path: "", name, before: undefined, after: version, evidence: [run.use.id] };
        settings.set(`\n${name}`, { kind: "dependency", ...added });
      }
    }
  return [...settings.values()].filter((one) => one.before !== one.after).slice(0, MAX_SETTINGS);
}

/** [name, value] */
type Entry = [string, string];

/** `file`: the end of the manifest's name. The last entry is for requirements.txt and Gemfile. */
const DEPENDENCY_LINES: readonly { file: string; example: string; pattern: RegExp }[] = [
  { file: ".json", example: '"zod": "^4.1.0",', pattern: /^\s*"((?:@[\w.-]+\/)?[\w.-]+)":\s*"([^"]{1,60})",?\s*$/ },
  {
    file: ".toml",
    example: 'serde = { version = "1.0"',
    pattern: /^\s*"?([A-Za-z][\w.-]*)"?\s*=\s*(?:\{[^}]*version\s*=\s*)?"([^"]{1,60})"/,
  },
  { file: "go.mod", example: "github.com/a/b v1.2.0", pattern: /^\s*(?:require )?([\w.-]+\.[\w./-]+)\s+(v[\w.+-]+)/ },
  {
    file: "",
    example: "requests==2.32",
    pattern: /^\s*(?:gem )?['"]?([A-Za-z][\w.-]*)['"]?\s*(?:,\s*['"]|==|>=|~=|<=)\s*([\w.*^~>= -]{1,30})/,
  },
];
/** In a list of pyproject.toml: "requests[socks]>=2.32". */
const DEPENDENCY_IN_LIST = /^\s*"([A-Za-z][\w.-]*)(?:\[[\w,-]+\])?\s*([=<>~!^][^"]{0,40})",?\s*$/;
const VERSION = /^(?:[\^~><=v]|workspace:|npm:|file:|link:|catalog:|git\+|github:|\*$|latest$|\d+(?:\.\d+)*)/;

function readDependency(line: string, path: string): Entry[] {
  const pattern = DEPENDENCY_LINES.find(({ file }) => path.endsWith(file))?.pattern;
  const [, name, value = ""] = pattern?.exec(line) ?? DEPENDENCY_IN_LIST.exec(line) ?? [];
  const version = value.trim();
  return name === undefined || name === "version" || !VERSION.test(version) ? [] : [[name, version]];
}

/** Reads lines with one plain value: `key: value`, `key = value`, `"key": value`, `FROM image`. */
function readSetting(line: string): Entry[] {
  if (/^\s*(?:\/\/|#|\/?\*|<!--)/.test(line)) return [];
  const image = /^\s*FROM\s+([\w./:@-]+)/i.exec(line)?.[1];
  if (image !== undefined) return [["FROM", image]];
  const [, name, value] = /^\s*-?\s*["']?([A-Za-z_][\w.-]{1,60})["']?\s*[:=]\s*(\S.{0,80}?),?\s*$/.exec(line) ?? [];
  const isCode = /[{[(|>]$|=>|^\(|\bfunction\b|\$[({]|\s&&\s/;
  return name === undefined || value === undefined || isCode.test(value)
    ? []
    : [[name, value.replace(/^(["'])(.*)\1$/, "$2")]];
}

const INSTALLS =
  /^(?:npm (?:i|install|add)|pnpm add|yarn add|bun add|uv add|poetry add|cargo add|go get|composer require)\s+(.+)$/;

/** "npm i zod@4 vitest" -> [["zod", "4"], ["vitest", ""]] */
function installedPackages({ purpose, use, key }: Run): Entry[] {
  if (purpose !== "install" || use.isError) return [];
  const words = (INSTALLS.exec(key)?.[1] ?? "").split(/\s+/);
  return words
    .filter((word) => /^@?[a-z][\w./-]*(?:@[\w.^~-]+)?$/i.test(word))
    .slice(0, 6)
    .map((word) => {
      const at = word.lastIndexOf("@");
      return at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word, ""];
    });
}

interface EditedLines {
  path: string;
  added: string[];
  removed: string[];
}

const MAX_LINES = 400;

/** Agents record an edit as a patch, as a diff in the output, or as the texts before and after. */
function editedLines(use: EvidenceToolUse): EditedLines[] {
  const paths = use.files.filter(({ kind }) => kind !== "read").map((file) => file.path);
  const [path] = paths;
  if (use.isError || path === undefined) return [];
  const patch = asString(use.input["patch"]) ?? asString(use.input["patchText"]);
  if (patch !== undefined && paths.length > 1) return patchedLines(patch, paths);
  const diff = patch ?? (/^@@ /m.test(use.output) ? use.output : undefined);
  if (diff !== undefined) return [{ path, ...diffLines(diff) }];
  return [use.input, ...asObjects(use.input["edits"])].flatMap((edit) => {
    const before = (asString(edit["old_string"]) ?? asString(edit["oldString"]))?.split("\n", MAX_LINES);
    const after = (asString(edit["new_string"]) ?? asString(edit["newString"]))?.split("\n", MAX_LINES);
    if (before === undefined || after === undefined) return [];
    const [old, now] = [new Set(before), new Set(after)];
    return [{ path, added: after.filter((line) => !old.has(line)), removed: before.filter((line) => !now.has(line)) }];
  });
}

function patchedLines(patch: string, paths: readonly string[]): EditedLines[] {
  const parts = patch.split(/^\*\*\* (?:Add|Update|Delete) File: /m).slice(1);
  return parts.flatMap((part) => {
    const named = part.split("\n", 1)[0]?.trim() ?? "";
    const path = paths.find((one) => one === named || named.endsWith(`/${one}`) || one.endsWith(`/${named}`));
    return path === undefined ? [] : [{ path, ...diffLines(part) }];
  });
}

function diffLines(diff: string): Omit<EditedLines, "path"> {
  const lines = diff.split("\n", MAX_LINES * 4);
  const withSign = (sign: string): string[] =>
    lines
      .filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3)))
      .map((line) => line.slice(1))
      .slice(0, MAX_LINES);
  return { added: withSign("+"), removed: withSign("-") };
}

/** One observation per file. The subject lists the names, so the next change of the same names supersedes it. */
export function settingObservations(settings: readonly Setting[]): Observation[] {
  const kept = settings.filter((one) => one.kind === "dependency" || isNewValue(one));
  const groups = Map.groupBy(kept, ({ kind, path }) => `${kind}:${path}`);
  return [...groups.values()].slice(0, MAX_FILES).map(observationOf);
}

/** True if the turn replaced a value by another, and the name is not one that any file may have. */
function isNewValue({ before, after, name }: Setting): boolean {
  const isCommon =
    /^(?:name|description|title|id|key|label|version|run|uses|if|const|let|var|return|type|import|export)$/.test(name);
  return before !== undefined && after !== undefined && !isCommon;
}

function observationOf(group: readonly Setting[]): Observation {
  const [{ kind, path }] = group as [Setting, ...Setting[]];
  const facts = group.map((one) => `${changeText(one, 80)}${path === "" ? "" : ` (${path})`}`);
  const names = group.map(({ name }) => name).sort();
  return newObservation({
    type: "change",
    title: `${titleOf(group)}${path === "" ? "" : ` in ${baseName(path)}`}`,
    narrative: `${facts.slice(0, 3).join("; ")}${facts.length > 3 ? `; and ${facts.length - 3} more` : ""}.`,
    facts: facts.length > 1 ? facts : [],
    concepts: ["what-changed"],
    files: path === "" ? [] : [path],
    evidence: [...new Set(group.flatMap((one) => one.evidence))].slice(0, 8),
    origin: "tool",
    subject: clip(kind === "dependency" ? `dependency:${names.join(",")}` : `setting:${path}:${names.join(",")}`, 200),
  });
}

function titleOf(group: readonly Setting[]): string {
  const [first] = group as [Setting, ...Setting[]];
  if (group.length === 1) return changeText(first, 40);
  const isAdded = group.every(({ before }) => before === undefined);
  const isRemoved = group.every(({ after }) => after === undefined);
  const names = group.map(({ name }) => name);
  return `${isAdded ? "Added" : isRemoved ? "Removed" : "Changed"} ${listText(names, 3)}`;
}

function changeText({ kind, name, before, after }: Setting, maxChars: number): string {
  const [old, now] = [before, after].map((value) => (value === undefined ? undefined : clip(value, maxChars)));
  if (now === undefined) return `Removed ${name}${old === undefined ? "" : ` (${old})`}`;
  if (old !== undefined) return `${name} changed from ${old} to ${now}`;
  return kind === "dependency" ? `Added ${[name, now].filter(Boolean).join(" ")}` : `${name} set to ${now}`;
}
