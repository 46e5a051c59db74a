// The words in what Gemini calls content: a text, a part, or a list of both.
import { asObject, asString, type Json } from "../../core/json.ts";

/** What hooks have told the model stands among the words of others, ours as well. */
export function withoutHookContext(text: string): string {
  return text.replace(
    /^<hook_context>[\s\S]*?<\/hook_context>\n\n|(?:\n\n|\n)?<hook_context>[\s\S]*?<\/hook_context>/g,
    "",
  );
}

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
