// The work of a turn as one observation: what was done and why, in which files, checked how, committed as what.
import type { Reading } from "./extract-turn.ts";
import type { Statement } from "./statements.ts";
import type { Concept, Observation, ObservationType } from "../../core/memory.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { type Answer, isSpecific } from "./answer.ts";
import { type Ask, capitalise, TITLE_CHARS } from "./ask.ts";
import { baseName, type Changes, filesText, weight } from "./changes.ts";
import { type Landing, landingFacts, landingsOf } from "./landings.ts";
import { lastError, telling } from "../../core/error-text.ts";
import { clip, sentencesOf } from "../../core/prose.ts";
import { type Run, shownCommand } from "./commands.ts";
import { fixingRun } from "./fixes.ts";
import { lastTestOf, testFact } from "./test-state.ts";

const SENTENCE_CHARS = 300;
const FACT_CHARS = 220;
const MAX_FACTS = 8;
const MAX_FILES = 20;
const MAX_EVIDENCE = 10;
/** A line or two in a text nobody runs is not worth a note. */
const SMALL = 3;
const TEXT_FILE = /\.(?:md|mdx|txt|rst)$|(?:^|\/)(?:CHANGELOG|LICENSE|README)/i;

export function workObservation(
  evidence: TurnEvidence,
  { ask, answer, changes, runs, rules }: Omit<Reading, "evidence" | "found">,
): Observation | undefined {
  const landings = landingsOf(evidence, runs);
  if (!isWork(changes) && !landings.some((landing) => landing.isWorthNoting)) return undefined;
  const { title, spoken } = titleOf(ask, answer, changes, landings, rules);
  const mended = fixingRun(evidence, runs);
  const type = typeOf(title.replace(/^Opened PR #\d+: /, ""), {
    ask,
    changes,
    landings,
    isMended: mended !== undefined,
  });
  const lastTest = lastTestOf(runs);
  const facts = [
    ...answer.points.map((point) => clip(point, FACT_CHARS)),
    ...landingFacts(landings),
    ...changes.renamed.map(({ from, to }) => `Renamed ${from} to ${to}`),
    ...(lastTest === undefined ? [] : [testFact(lastTest, runs)]),
    ...(mended === undefined ? [] : mendedFacts(mended.failure)),
  ];
  return {
    type,
    title,
    narrative: narrativeOf({ ask, answer, changes, landings, title }),
    facts: [...new Set(facts)].slice(0, MAX_FACTS),
    concepts: conceptsOf(type, ask, answer),
    files: changes.files.slice(0, MAX_FILES).map(({ path }) => path),
    evidence: [
      ...new Set([
        evidence.prompt.id,
        ...changes.files.flatMap((file) => file.evidence.slice(-1)).slice(0, MAX_EVIDENCE - 4),
        ...landings.map(({ id }) => id).slice(-2),
        ...(mended === undefined ? [] : [mended.failure.use.id, mended.success.use.id]),
        ...(spoken || answer.points.length > 0 ? [answer.id] : []),
      ]),
    ],
    origin: spoken ? "assistant" : ask.kind === "word" ? "tool" : "user",
  };
}

function mendedFacts({ command, use }: Run): string[] {
  const error = telling(lastError(use.output));
  return error === undefined ? [] : [clip(`${shownCommand(command)} failed before: ${error}`, FACT_CHARS)];
}

function isWork({ files, renamed, deleted }: Changes): boolean {
  if (renamed.length + deleted.length > 0) return true;
  const size = files.reduce((sum, file) => sum + weight(file), 0);
  return files.length > 0 && !(size <= SMALL && files.every(({ path }) => TEXT_FILE.test(path)));
}

/** The commit's subject, the plan's heading, the assistant's own words, or what was asked for: the first that says it. */
function titleOf(
  ask: Ask,
  answer: Answer,
  changes: Changes,
  landings: readonly Landing[],
  rules: readonly Statement[],
): { title: string; spoken: boolean } {
  const landed = landings.filter(({ isWorthNoting }) => isWorthNoting);
  const [landing] = landed;
  if (landing !== undefined && (landed.length === 1 || changes.files.length === 0)) {
    return { title: clip(landing.title, TITLE_CHARS), spoken: false };
  }
  if (ask.kind === "plan") return { title: ask.title, spoken: false };
  const headline = answer.isPlain ? shorten(answer.headline) : "";
  if (headline !== "" && headline.length <= TITLE_CHARS + 1) return { title: headline, spoken: true };
  const asked = IMPERATIVE.test(ask.title) && !ask.title.includes("://") ? ask.title.replaceAll("`", "") : "";
  if (asked !== "" && asked.split(/\s+/).length >= 4 && !asked.endsWith("…")) return { title: asked, spoken: false };
  const words = answer.isTelling ? shorten(answer.headline) : "";
  if (words !== "") return { title: clip(words, TITLE_CHARS), spoken: true };
  if (asked.split(/\s+/).length >= 4) return { title: asked, spoken: false };
  // Of several commits the first that says something; of bookkeeping that rather than the names of files.
  const said = landing ?? landings.find((one) => one.title.split(/\s+/).length > 2);
  if (said !== undefined) return { title: clip(said.title, TITLE_CHARS), spoken: false };
  // What the user laid down is an observation of its own: under the same words the two would be taken for one.
  const title =
    ask.kind === "word" || rules.length > 0
      ? namesOf(changes, MAX_NAMES)
      : `${namesOf(changes, 1)}: ${ask.title.replaceAll("`", "").trim()}`;
  return { title: clip(title, TITLE_CHARS), spoken: false };
}

const MAX_NAMES = 3;

function namesOf({ files, renamed, deleted }: Changes, max: number): string {
  const [first] = files;
  if (first === undefined) {
    return renamed[0] === undefined
      ? `Deleted ${deleted[0]?.path ?? "files"}`
      : `Renamed ${renamed[0].from} to ${renamed[0].to}`;
  }
  const names = files.slice(0, max).map(({ path }) => baseName(path));
  const more = files.length > max ? ` and ${files.length - max} more` : "";
  return `${files.every(({ isNew }) => isNew) ? "Created" : "Changed"} ${names.join(", ")}${more}`;
}

/** Up to where the sentence says why or how. */
function shorten(sentence: string): string {
  const text = sentence.replaceAll("`", "").replace(/[.]$/, "");
  if (text.length <= TITLE_CHARS) return text;
  const bare = text.replace(/\s*\([^()]*\)/g, "");
  if (bare.length <= TITLE_CHARS) return bare;
  const head =
    /^(.{30,90}?)(?:\s[—–-]\s|;\s|,\s(?:so|which|and|because|since|with|instead)\b|\s(?:because|so that|which|instead of|by|to ensure)\s)/.exec(
      bare,
    )?.[1];
  return head ?? bare;
}

/** Said as one says what is to be done; "5 seems great" is an answer to something. */
const IMPERATIVE =
  /^(?:add|allow|apply|archive|bump|change|check|clean|combine|configure|consolidate|convert|create|debug|delete|deploy|disable|document|drop|enable|ensure|expand|extract|fill|finish|fix|generate|hide|implement|improve|include|increase|initiali[sz]e|install|integrate|investigate|keep|limit|log|make|merge|migrate|move|normali[sz]e|optimi[sz]e|pin|port|publish|push|put|rebase|reduce|refactor|release|remove|rename|reorgani[sz]e|replace|resolve|restore|restructure|revert|rewrite|run|save|set|show|simplify|sort|split|stop|support|switch|sync|test|track|translate|update|upgrade|use|validate|verify|wire|wrap|write)\b/i;

const FIX =
  /^(?:\S+ ){0,2}(?:fix(?:e[sd]|ing)?(?=\s|:)|resolve[sd]?|repair\w*|correct(?:s|ed)?)\b|\b(?:bug(?:s|gy|ged)?|broken|crash\w*|regression|not working|doesn'?t|isn'?t|wrong|flood\w*|leak\w*|fails?|failing|errors?)\b/i;
const NEW =
  /^(?:add|implement|create|introduce|support|enable|build|allow|new|upload|show|display|provide|integrate|write|set up)(?:ed|s|d)?\b/i;
const REFORM =
  /^(?:refactor|rename|extract|move|simplif|clean|restructur|reorgani[sz]|dedup|consolidat|split|flatten|merge action|unif|reduce|improve project|replac|switch|convert|migrat|rewrit|rewrote|inline|tidy)\w*\b/i;

function typeOf(
  title: string,
  { ask, changes, landings, isMended }: Pick<Reading, "ask" | "changes"> & { landings: Landing[]; isMended: boolean },
): ObservationType {
  const prefix = landings.find(({ prefix: one }) => one !== "")?.prefix ?? "";
  const byPrefix: Record<string, ObservationType> = {
    feat: "feature",
    fix: "bugfix",
    refactor: "refactor",
    perf: "refactor",
  };
  if (Object.hasOwn(byPrefix, prefix)) return byPrefix[prefix] as ObservationType;
  if (prefix !== "" || (changes.files.length > 0 && changes.files.every(({ path }) => TEXT_FILE.test(path))))
    return "change";
  if (/^(?:bug ?)?fix/i.test(title) || (ask.kind === "order" && FIX.test(ask.title))) return "bugfix";
  if (isMended && !NEW.test(title) && !REFORM.test(title)) return "bugfix";
  if (NEW.test(title)) return "feature";
  if (REFORM.test(title)) return "refactor";
  if (FIX.test(title)) return "bugfix";
  return "change";
}

function conceptsOf(type: ObservationType, ask: Ask, answer: Answer): Concept[] {
  const concepts: Concept[] = type === "bugfix" ? ["problem-solution", "what-changed"] : ["what-changed"];
  if (ask.why !== "" || answer.blocks.some(({ text }) => /\bbecause\b/i.test(text))) concepts.push("why-it-exists");
  return concepts;
}

const REASON =
  /\b(?:because|so that|this (?:stops|prevents|means|ensures|eliminates|fixes|avoids|makes|keeps|allows|lets)|root cause|previously|now|which (?:caused|made|meant))\b/i;

function narrativeOf({
  ask,
  answer,
  changes,
  landings,
  title,
}: {
  ask: Ask;
  answer: Answer;
  changes: Changes;
  landings: readonly Landing[];
  title: string;
}): string {
  const said = answer.blocks.filter(({ kind }) => kind === "text").flatMap(({ text }) => sentencesOf(text));
  const plainTitle = title.toLowerCase();
  const isNews = (sentence: string): boolean =>
    !sentence.replaceAll("`", "").toLowerCase().startsWith(plainTitle.slice(0, 40));
  const what = isNews(answer.headline) && answer.isTelling ? answer.headline : undefined;
  const isChore = /^(?:commit|push|merge|pr)\b/i.test(ask.title);
  const asked = ask.kind === "order" && !isChore && isNews(ask.title) ? `Asked: “${ended(ask.title)}”` : undefined;
  const why =
    ask.why !== ""
      ? ask.why
      : (landings.find(({ body }) => body !== "")?.body ??
        said.find(
          (one) =>
            REASON.test(one) &&
            isSpecific(one) &&
            one !== what &&
            one.length <= SENTENCE_CHARS &&
            isNews(one) &&
            !/\?$|^(?:let me|i'll|i’ll)/i.test(one),
        ));
  const files = changes.files.length === 0 ? "" : `Changed ${filesText(changes.files)}.`;
  const outcome = why === answer.outcome ? "" : answer.outcome;
  const parts = [asked, why, what === undefined ? undefined : clip(ended(what), SENTENCE_CHARS), outcome, files].filter(
    (part) => part !== undefined && part !== "",
  );
  return parts.length > 0 ? parts.join(" ") : ended(title);
}

function ended(text: string): string {
  return text === "" || /[.!?…]$/.test(text) ? text : `${capitalise(text)}.`;
}
