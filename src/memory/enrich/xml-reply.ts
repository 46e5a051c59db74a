// Some models reply in XML despite the schema. Reads <observation> and <summary>; everything else is text:
// "Map<string, T>" stays.
import { SUMMARY_FIELDS } from "./turn-prompt.ts";

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", amp: "&" };

/** Returns an object with the fields of the JSON reply, or undefined if the text has neither tag. */
export function parseXmlReply(reply: string): object | undefined {
  const observations = blocks(reply, "observation").map(observation);
  const [summary] = blocks(reply, "summary").map(summaryFields);
  return observations.length === 0 && summary === undefined ? undefined : { observations, summary };
}

function observation(block: string): object {
  const narrative = field(block, "narrative") || field(block, "text");
  return {
    type: field(block, "type").toLowerCase(),
    title: field(block, "title") || firstSentence(narrative),
    subtitle: field(block, "subtitle"),
    narrative,
    facts: list(block, "facts", "fact"),
    concepts: list(block, "concepts", "concept"),
    files: list(block, "files", "file"),
    evidence: ids(field(block, "evidence")),
  };
}

function summaryFields(block: string): object {
  const fields = SUMMARY_FIELDS.map((name) => [name, field(block, name)]);
  return { ...Object.fromEntries(fields), evidence: ids(field(block, "evidence")) };
}

/** The text between each pair of tags. Runs in linear time: replies may be long and hostile. */
function blocks(text: string, tag: string): string[] {
  const lower = text.toLowerCase();
  const open = new RegExp(`<${tag}(?:\\s[^<>]{0,200})?>`, "g");
  const found: string[] = [];
  for (let match = open.exec(lower); match !== null; match = open.exec(lower)) {
    const end = lower.indexOf(`</${tag}`, open.lastIndex);
    if (end === -1) break;
    found.push(text.slice(open.lastIndex, end));
    open.lastIndex = end;
  }
  return found;
}

function field(block: string, tag: string): string {
  return decode(blocks(block, tag)[0] ?? "");
}

function list(block: string, tag: string, item: string): string[] {
  return blocks(blocks(block, tag)[0] ?? "", item).map(decode);
}

function ids(text: string): string[] {
  return text.match(/\b[pmt]\d+\b/g) ?? [];
}

function decode(text: string): string {
  return text.trim().replace(/&(lt|gt|quot|apos|#39|amp);/g, (_, name: string) => ENTITIES[name] ?? "");
}

function firstSentence(text: string): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
