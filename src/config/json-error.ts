// Describes the first error in a JSON text, so that the user can fix it.
import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";

/** E.g. "line 3, column 5: comma expected". */
export function explainJson(source: string): string {
  const text = source.replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  if (first === undefined) return "not JSON";
  // The parser reports `{"a": 1,}` at the brace, but the comma before it is wrong.
  const before = text.slice(0, first.offset).trimEnd();
  const closes = /[}\]]/.test(text[first.offset] ?? "");
  if (closes && before.endsWith(",")) return `${positionOf(text, before.length - 1)}: remove the trailing comma`;
  return `${positionOf(text, first.offset)}: ${advice(text, first)}`;
}

function advice(text: string, { error, offset }: ParseError): string {
  const code = printParseErrorCode(error);
  if (code === "InvalidCommentToken") return "remove the comment";
  return text[offset] === "'" ? "use double quotes" : words(code);
}

function positionOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split(/\r\n|[\r\n]/);
  return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}

/** "CommaExpected" -> "comma expected" */
function words(code: string): string {
  return code
    .replace(/([A-Z])/g, " $1")
    .trim()
    .toLowerCase();
}
