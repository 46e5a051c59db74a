// Builds one observation about the work of a turn: what was done and why, files, tests and commits.
import { lastError, errorMessage } from "../../core/error-text.ts";
import type { Concept, Observation, ObservationType } from "../../core/memory.ts";
import { clip } from "../../core/prose.ts";
import { listText } from "../../core/text.ts";
import { baseName, changedLines, type Changes, filesText } from "./changes.ts";
import { type Run, shownCommand } from "./commands.ts";
import type { ParsedTurn } from "./extract-turn.ts";
import { findRepair } from "./failures.ts";
import { isReason } from "./judge.ts";
import { newObservation } from "./observation.ts";
import { matches } from "./sentence-patterns.ts";
import { capitalise, proseIn, withFullStop } from "./sentences.ts";
import { testFact } from "./test-results.ts";
import { TITLE_CHARS } from "./user-request.ts";

const HEADLINE_CHARS = 300;
const FACT_CHARS = 220;
const MAX_FACTS = 8;
const MAX_FILES = 20;
const MAX_EVIDENCE = 10;
/** Up to three changed lines, all in documents, are not worth an observation. */
const FEW_LINES = 3;
const DOCUMENT = /\.(?:md|mdx|txt|rst)$|(?:^|\/)(?:CHANGELOG|LICENSE|README)/i;

export function workObservation(turn: ParsedTurn): Observation | undefined {
  const { evidence, request, final, changes, runs, deliveries, testResult } = turn;
  if (!isWork(changes) && !deliveries.some(({ isWorthNoting }) => isWorthNoting)) return undefined;
  const { title, isSpoken } = titleOf(turn);
  const repair = findRepair(evidence, runs);
  const type = typeOf(title.replace(/^Opened PR #\d+: /, ""), turn, repair !== undefined);
  const facts = [
    ...final.points.map((point) => clip(point, FACT_CHARS)),
    ...deliveries.map(({ fact }) => fact),
    ...changes.renamed.map(({ from, to }) => `Renamed ${from} to ${to}`),
    ...(testResult === undefined ? [] : [testFact(testResult)]),
    ...(repair === undefined ? [] : repairFacts(repair.failure)),
  ];
  const ids = [
    evidence.prompt.id,
    ...changes.files.flatMap((file) => file.evidence.slice(-1)).slice(0, MAX_EVIDENCE - 4),
    ...deliveries.map(({ id }) => id).slice(-2),
    ...(repair === undefined ? [] : [repair.failure.use.id, repair.success.use.id]),
    ...(isSpoken || final.points.length > 0 ? [final.id] : []),
  ];
  return newObservation({
    type,
    title,
    narrative: narrativeOf(turn, title),
    facts: [...new Set(facts)].slice(0, MAX_FACTS),
    concepts: conceptsOf(type, turn),
    files: changes.files.slice(0, MAX_FILES).map(({ path }) => path),
    evidence: [...new Set(ids)],
    origin: isSpoken ? "assistant" : request.kind === "reply" ? "tool" : "user",
  });
}

function repairFacts({ command, use }: Run): string[] {
  const error = errorMessage(lastError(use.output));
  return error === undefined ? [] : [clip(`${shownCommand(command)} failed before: ${error}`, FACT_CHARS)];
}

function isWork({ files, renamed, deleted }: Changes): boolean {
  if (renamed.length + deleted.length > 0) return true;
  const lines = files.reduce((sum, file) => sum + changedLines(file), 0);
  return files.length > 0 && !(lines <= FEW_LINES && areDocuments(files));
}

function areDocuments(files: Changes["files"]): boolean {
  return files.every(({ path }) => DOCUMENT.test(path));
}

/** The first good title: the commit's subject, plan's heading, agent's headline, request, or the file names. */
function titleOf({ request, final, changes, deliveries, rules }: ParsedTurn): { title: string; isSpoken: boolean } {
  const title = (text: string): { title: string; isSpoken: boolean } => ({ title: text, isSpoken: false });
  const notable = deliveries.filter(({ isWorthNoting }) => isWorthNoting);
  const [delivery] = notable;
  if (delivery !== undefined && (notable.length === 1 || changes.files.length === 0)) {
    return title(clip(delivery.title, TITLE_CHARS));
  }
  if (request.kind === "plan") return title(request.title);
  const headline = shorten(final.headline);
  if (final.statesWork && headline !== "" && headline.length <= TITLE_CHARS + 1)
    return { title: headline, isSpoken: true };
  const plainRequest = request.title.replaceAll("`", "");
  const isTask = matches(request.title, "imperative") && !request.title.includes("://");
  const isLong = isTask && plainRequest.split(/\s+/).length >= 4;
  if (isLong && !plainRequest.endsWith("…")) return title(plainRequest);
  if (final.isInformative && headline !== "") return { title: clip(headline, TITLE_CHARS), isSpoken: true };
  if (isLong) return title(plainRequest);
  // The first of several commits, or a bookkeeping commit with at least three words, is better than file names.
  const said = delivery ?? deliveries.find((one) => one.title.split(/\s+/).length > 2);
  if (said !== undefined) return title(clip(said.title, TITLE_CHARS));
  // The turn's rules become a separate observation. With the same title the two would be merged.
  const isUntitled = request.kind === "reply" || rules.length > 0;
  const names = isUntitled ? fileTitle(changes, 3) : `${fileTitle(changes, 1)}: ${plainRequest.trim()}`;
  return title(clip(names, TITLE_CHARS));
}

/** "Changed a.ts, b.ts, c.ts and 2 more" */
function fileTitle({ files, renamed: [renamed], deleted: [deleted = "files"] }: Changes, max: number): string {
  if (files.length === 0)
    return renamed === undefined ? `Deleted ${deleted}` : `Renamed ${renamed.from} to ${renamed.to}`;
  const names = files.map(({ path }) => baseName(path));
  return `${files.every(({ isNew }) => isNew) ? "Created" : "Changed"} ${listText(names, max)}`;
}

/** Shortens a sentence over 90 characters: removes brackets, then cuts before words such as "because" or "by". */
function shorten(sentence: string): string {
  const text = sentence.replaceAll("`", "").replace(/[.]$/, "");
  if (text.length <= TITLE_CHARS) return text;
  const withoutBrackets = text.replace(/\s*\([^()]*\)/g, "");
  if (withoutBrackets.length <= TITLE_CHARS) return withoutBrackets;
  const start =
    /^(.{30,90}?)(?:\s[—–-]\s|;\s|,\s(?:so|which|and|because|since|with|instead)\b|\s(?:because|so that|which|instead of|by|to ensure)\s)/;
  return start.exec(withoutBrackets)?.[1] ?? withoutBrackets;
}

/** Types by prefix of a conventional commit. Other prefixes become "change". */
const TYPES_BY_PREFIX: ReadonlyMap<string, ObservationType> = new Map([
  ["feat", "feature"],
  ["fix", "bugfix"],
  ["refactor", "refactor"],
  ["perf", "refactor"],
]);

function typeOf(title: string, { request, changes, deliveries }: ParsedTurn, isRepair: boolean): ObservationType {
  const prefix = deliveries.find((delivery) => delivery.prefix !== "")?.prefix;
  if (prefix !== undefined) return TYPES_BY_PREFIX.get(prefix) ?? "change";
  if (changes.files.length > 0 && areDocuments(changes.files)) return "change";
  if (/^(?:bug ?)?fix/i.test(title)) return "bugfix";
  if (request.kind === "task" && matches(request.title, "fixTitle")) return "bugfix";
  if (isRepair && !matches(title, "featureTitle", "refactorTitle")) return "bugfix";
  if (matches(title, "featureTitle")) return "feature";
  if (matches(title, "refactorTitle")) return "refactor";
  return matches(title, "fixTitle") ? "bugfix" : "change";
}

function conceptsOf(type: ObservationType, { request, final }: ParsedTurn): Concept[] {
  const hasReason = request.why !== "" || final.blocks.some(({ text }) => /\bbecause\b/i.test(text));
  return [
    ...(type === "bugfix" ? (["problem-solution"] as const) : []),
    "what-changed",
    ...(hasReason ? (["why-it-exists"] as const) : []),
  ];
}

/** Joins request, reason, headline, benefit and files, except sentences that begin like the title. */
function narrativeOf({ request, final, changes, deliveries }: ParsedTurn, title: string): string {
  const titleStart = title.toLowerCase().slice(0, 40);
  const isNew = (sentence: string): boolean => !sentence.replaceAll("`", "").toLowerCase().startsWith(titleStart);
  const headline = isNew(final.headline) && final.isInformative ? final.headline : undefined;
  const isChore = /^(?:commit|push|merge|pr)\b/i.test(request.title);
  const isNewReason = (text: string): boolean => text !== headline && isNew(text) && isReason(text);
  const why =
    request.why ||
    (deliveries.find(({ body }) => body !== "")?.body ?? proseIn(final.sentences).find(isNewReason) ?? "");
  const parts = [
    request.kind === "task" && !isChore && isNew(request.title) ? `Asked: “${asSentence(request.title)}”` : "",
    why,
    headline === undefined ? "" : clip(asSentence(headline), HEADLINE_CHARS),
    why === final.benefit ? "" : final.benefit,
    changes.files.length === 0 ? "" : `Changed ${filesText(changes.files)}.`,
  ];
  return parts.filter((part) => part !== "").join(" ") || asSentence(title);
}

function asSentence(text: string): string {
  const sentence = withFullStop(text);
  return sentence === text ? text : capitalise(sentence);
}
