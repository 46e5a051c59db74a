// The added and removed lines of an edit or a patch.
import { structuredPatch } from "diff";
import { useMemo } from "preact/hooks";

export function Diff({ before, after, path }: { before: string; after: string; path: string | undefined }) {
  return <DiffLines lines={useMemo(() => compare(before, after), [before, after])} path={path} />;
}

interface DiffLine {
  kind: "same" | "added" | "removed" | "gap";
  text: string;
}

const SIGNS = { same: " ", added: "+", removed: "-", gap: " " } as const;
const MAX_LINES = 400;

export function DiffLines({ lines, path }: { lines: readonly DiffLine[]; path: string | undefined }) {
  const total = (wanted: DiffLine["kind"]): number => lines.filter(({ kind }) => kind === wanted).length;
  return (
    <figure class="code diff">
      <figcaption class="inline one-line line-below tiny muted">
        <span class="path grow">{path}</span>
        <span class="added num">+{total("added")}</span> <span class="removed num">−{total("removed")}</span>
      </figcaption>
      <pre tabIndex={0}>
        {lines.slice(0, MAX_LINES).map(({ kind, text }, index) => (
          <div key={index} class={`line ${kind}`}>
            <span class={`sign ${kind}`} aria-hidden="true">
              {SIGNS[kind]}
            </span>
            {(kind === "added" || kind === "removed") && <span class="hidden">{kind}: </span>}
            {text === "" ? " " : text}
          </div>
        ))}
        {lines.length > MAX_LINES && <div class="line gap">… {lines.length - MAX_LINES} more lines</div>}
      </pre>
    </figure>
  );
}

function compare(before: string, after: string): DiffLine[] {
  // Adds missing final newlines: otherwise the last lines differ if only one text ends with a newline.
  const patch = structuredPatch("", "", withNewline(before), withNewline(after), "", "", { context: 3, timeout: 200 });
  if (patch === undefined) return [...linesOf(before, "removed"), ...linesOf(after, "added")];
  return patch.hunks.flatMap((hunk, index) => [
    ...(index > 0 ? [{ kind: "gap" as const, text: "⋯" }] : []),
    ...hunk.lines.filter((line) => !line.startsWith("\\")).map(parseLine),
  ]);
}

/** Parses a unified patch, or a patch in Codex's format ("*** Update File: …"). */
export function readPatch(patch: string): DiffLine[] {
  const lines = patch.split("\n");
  // "--- a" and "+++ b" are a file header only as a pair: alone they are a changed line that begins with "--" or "++".
  const isHeader = (line: string, index: number): boolean =>
    /^(?:diff |index )/.test(line) ||
    (line.startsWith("---") && lines[index + 1]?.startsWith("+++") === true) ||
    (line.startsWith("+++") && lines[index - 1]?.startsWith("---") === true);
  return lines
    .filter((line, index) => !isHeader(line, index))
    .map((line) => (/^(?:@@|\*\*\*)/.test(line) ? { kind: "gap", text: line } : parseLine(line)));
}

function parseLine(line: string): DiffLine {
  const kind = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
  return { kind, text: line.slice(1) };
}

function linesOf(text: string, kind: "added" | "removed"): DiffLine[] {
  const lines = withNewline(text).split("\n").slice(0, -1);
  return lines.map((line) => ({ kind, text: line }));
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
