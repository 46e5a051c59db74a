// Finds the JSON in a model's words: alone, in a code fence, or after it has thought aloud.
import { asObject, parseJson } from "../agents/wire.ts";

export function replyValue(text: string): unknown {
  const said = text.replace(/^[\s\S]*<\/think(?:ing)?>/, "").trim();
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(said)?.[1];
  const braced = said.slice(Math.max(0, said.indexOf("{")), said.lastIndexOf("}") + 1);
  return [said, fenced, braced].map(objectIn).find((value) => value !== undefined);
}

function objectIn(text: string | undefined): unknown {
  if (text === undefined || !text.trimStart().startsWith("{")) return undefined;
  return asObject(parseJson(text));
}
