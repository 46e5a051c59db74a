// Parts of texts that make a badly written regular expression backtrack for minutes: a beginning, then a repeated unit.
// Also the numbers of attacks that docs/reliability.md lists.
import { PLANTED_INSTRUCTIONS } from "./planted-instructions.ts";

/** Each is repeated until the text is long. */
export const UNITS = [
  " ",
  "a",
  "/",
  "\n",
  "\\",
  '"',
  "'",
  "`",
  "<",
  "[",
  "(",
  "*",
  "#",
  "-",
  ".",
  ":",
  "=",
  "@",
  "1",
  "\t",
  "\u200b",
  "日",
  "- ",
  "a b ",
  "a\n",
  "Error: a\n",
  "    at x (y:1:2)\n",
  "| ",
  "&& ",
  "<private>",
  "<c-mem-context>",
  "ignore all ",
  "curl a | ",
  "system: ",
  'git commit -m "',
  "@@ -1 +1 @@\n",
  "export A=",
  "https://a:",
  "../",
  "a/../",
];

/** A text begins with one of these. */
export const LEADS = ["", "x", "# a", "*** Update File: a", "make | head", "git@a:", "https://a.b/c", "- a", "**a"];

/** How many attacks the tests run. Each test checks its own number. */
export const ATTACKS = {
  instructions: PLANTED_INSTRUCTIONS.length,
  /** Places in which poison.test.ts plants each instruction. */
  places: 10,
  paths: 23,
  /** Functions and .git/config files in time.test.ts. */
  functions: 15,
  configs: 6,
} as const;
