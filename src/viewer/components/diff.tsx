// What was taken out and what was put in, line by line.
import { structuredPatch } from "diff";
import { useMemo } from "preact/hooks";

export function Diff({ before, after, path }: { before: string; after: string; path?: string }) {
  const lines = useMemo(() => compare(before, after), [before, after]);
  return <DiffLines lines={lines} {...(path !== undefined && { path })} />;
}

export interface DiffLine {
  kind: "same" | "added" | "removed" | "gap";
  text: string;
}

const WORDS = { same: "", added: "added: ", removed: "removed: ", gap: "" } as const;
const SIGNS = { same: " ", added: "+", removed: "-", gap: " " } as const;
/** A larger change is shown up to here. */
const MAX_LINES = 400;

export function DiffLines({ lines, path }: { lines: readonly DiffLine[]; path?: string }) {
  const added = lines.filter(({ kind }) => kind === "added").length;
  const removed = lines.filter(({ kind }) => kind === "removed").length;
  return (
    <figure class="code diff">
      <figcaption>
        <span class="path">{path}</span>
        <span class="added num">+{added}</span> <span class="removed num">−{removed}</span>
      </figcaption>
      <pre tabIndex={0}>
        {lines.slice(0, MAX_LINES).map(({ kind, text }, index) => (
          <div key={index} class={`line ${kind}`}>
            <span class="sign" aria-hidden="true">
              {SIGNS[kind]}
            </span>
            {WORDS[kind] !== "" && <span class="hidden">{WORDS[kind]}</span>}
            {text === "" ? " " : text}
          </div>
        ))}
        {lines.length > MAX_LINES && <div class="line gap">… {lines.length - MAX_LINES} more lines</div>}
      </pre>
    </figure>
  );
}

export function compare(before: string, after: string): DiffLine[] {
  // Both without a newline at the end, or every snippet would differ there.
  const patch = structuredPatch("", "", withNewline(before), withNewline(after), "", "", { context: 3, timeout: 200 });
  if (patch === undefined) return [...linesOf(before, "removed"), ...linesOf(after, "added")];
  return patch.hunks.flatMap((hunk, index) => [
    ...(index > 0 ? [{ kind: "gap" as const, text: "⋯" }] : []),
    ...hunk.lines.filter((line) => !line.startsWith("\\")).map(asLine),
  ]);
}

/** A unified patch as agents write it, line by line. */
export function readPatch(patch: string): DiffLine[] {
  return patch
    .split("\n")
    .filter((line) => !/^(?:\+\+\+|---|diff |index )/.test(line))
    .map((line) => (line.startsWith("@@") || line.startsWith("***") ? { kind: "gap", text: line } : asLine(line)));
}

function asLine(line: string): DiffLine {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
  return { kind, text: line.slice(1) };
}

function linesOf(text: string, kind: "added" | "removed"): DiffLine[] {
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => ({ kind, text: line }));
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
