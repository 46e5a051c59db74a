// c-mem context: the block an agent gets at session start, for a person to read.
import { answerContext } from "../../queries/context.ts";
import { AppError } from "../../core/error.ts";
import { FENCE } from "../../core/privacy/fence.ts";
import { withCommas } from "../../core/text.ts";
import { estimateTokens } from "../../core/tokens.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer, say } from "../output.ts";
import { dim, STDERR } from "../../platform/terminal/style.ts";
import { ask, sayWhichProject } from "../question.ts";

const FORMATS = ["markdown", "json", "plain"] as const;

export function run({ args, flags, json }: CommandOptions): number {
  const format = json ? "json" : readFormat(flags["format"]);
  return ask(flags, (asked) => {
    sayWhichProject(asked.db, args[0]);
    const answer = answerContext(asked, args[0]);
    if (format === "json") {
      printAnswer("context", answer);
      return EXIT.ok;
    }
    const { text, tokens, stale } = answer.block;
    print(format === "plain" ? plainText(text) : text);
    const note = stale > 0 ? `; ${stale} left out: their files are gone` : "";
    say(dim(`\n${withCommas(text.length)} characters, about ${withCommas(tokens)} tokens${note}`, STDERR));
    if (flags["preview"] === true) say(dim(partsOf(text), STDERR));
    return EXIT.ok;
  });
}

function readFormat(flag: unknown): (typeof FORMATS)[number] {
  if (flag === undefined) return "markdown";
  const format = FORMATS.find((known) => known === flag);
  if (format !== undefined) return format;
  throw new AppError("usage", `Unknown format "${String(flag)}".`, { hint: `One of: ${FORMATS.join(", ")}` });
}

/** Without the tags around it and the marks of headings and quotations. */
function plainText(block: string): string {
  return block
    .split("\n")
    .filter((line) => line !== FENCE.open && line !== FENCE.close)
    .map((line) => line.replace(/^(?:#{1,6}|>) /, ""))
    .join("\n");
}

/** What each section takes, as the block itself is counted. */
function partsOf(text: string): string {
  const parts = text.split(/^(?=## )/m);
  const rows = parts.map((part, index) => {
    const name = index === 0 ? "Introduction" : (/^## ([^(\n]+)/.exec(part)?.[1] ?? "").trim();
    return [withCommas(estimateTokens(part)), name] as const;
  });
  const width = Math.max(...rows.map(([tokens]) => tokens.length));
  return rows.map(([tokens, name]) => `  ${tokens.padStart(width)}  ${name}`).join("\n");
}
