// The words in what Gemini calls content: a text, a part, or a list of both.
import { asObject, asString, type Json } from "../wire.ts";

export function partsText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) {
    return content
      .map(partsText)
      .filter((text) => text !== "")
      .join("\n");
  }
  const part = asObject(content);
  return part?.["thought"] === true ? "" : (asString(part?.["text"]) ?? "");
}
