// Finds the JSON object in a model's reply: alone, in a code fence, after <think>…</think>, or within text.
import { asObject, parseJson } from "../core/json.ts";

export function replyValue(text: string): unknown {
  const answer = text.replace(/^[\s\S]*<\/think(?:ing)?>/, "").trim();
  const fenced = insideFence(answer);
  const braced = answer.slice(Math.max(0, answer.indexOf("{")), answer.lastIndexOf("}") + 1);
  return [answer, fenced, braced].map(objectIn).find((value) => value !== undefined);
}

function objectIn(text: string | undefined): unknown {
  if (text === undefined || !text.trimStart().startsWith("{")) return undefined;
  return asObject(parseJson(text));
}

/** Searches in one pass: a lazy regular expression takes minutes on a megabyte of line breaks. */
function insideFence(text: string): string | undefined {
  const start = /```(?:json)?[ \t]*\r?\n/.exec(text);
  if (start === null) return undefined;
  const close = /\n[ \t]*```/g;
  close.lastIndex = start.index + start[0].length;
  const end = close.exec(text)?.index;
  return end === undefined ? undefined : text.slice(start.index + start[0].length, end);
}
