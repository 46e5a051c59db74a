// The lines an edit put in and took out, from whatever the agent left of it: a diff, a patch, two texts.
import type { EvidenceToolUse } from "../../store/reads/turn-evidence.ts";

export interface EditLines {
  path: string;
  added: string[];
  removed: string[];
}

const MAX_LINES = 400;

export function editLines(use: EvidenceToolUse): EditLines[] {
  const paths = use.files.filter((file) => file.kind !== "read").map((file) => file.path);
  const [path] = paths;
  if (use.isError || path === undefined) return [];
  const patch = text(use.input["patch"]) ?? text(use.input["patchText"]);
  if (patch !== undefined && paths.length > 1) return patchParts(patch, paths);
  const diff = patch ?? (/^@@ /m.test(use.output) ? use.output : undefined);
  if (diff !== undefined) return [{ path, ...signed(diff) }];
  const pairs = [use.input, ...list(use.input["edits"])];
  return pairs.flatMap((pair) => {
    const before = text(pair["old_string"]) ?? text(pair["oldString"]);
    const after = text(pair["new_string"]) ?? text(pair["newString"]);
    return before === undefined || after === undefined ? [] : [{ path, ...difference(before, after) }];
  });
}

function signed(diff: string): Omit<EditLines, "path"> {
  const lines = diff.split("\n", MAX_LINES * 4);
  const withSign = (sign: string): string[] =>
    lines
      .filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3)))
      .map((line) => line.slice(1))
      .slice(0, MAX_LINES);
  return { added: withSign("+"), removed: withSign("-") };
}

function difference(before: string, after: string): Omit<EditLines, "path"> {
  const old = before.split("\n", MAX_LINES);
  const now = after.split("\n", MAX_LINES);
  const [had, has] = [new Set(old), new Set(now)];
  return { added: now.filter((line) => !had.has(line)), removed: old.filter((line) => !has.has(line)) };
}

function patchParts(patch: string, paths: readonly string[]): EditLines[] {
  return patch
    .split(/^\*\*\* (?:Add|Update|Delete) File: /m)
    .slice(1)
    .flatMap((part) => {
      const named = part.split("\n", 1)[0]?.trim() ?? "";
      const path = paths.find((one) => one === named || named.endsWith(`/${one}`) || one.endsWith(`/${named}`));
      return path === undefined ? [] : [{ path, ...signed(part) }];
    });
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value.filter((one): one is Record<string, unknown> => typeof one === "object" && one !== null)
    : [];
}
