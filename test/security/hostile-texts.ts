// Beginnings and pieces which, repeated, make a careless pattern go back and forth; and how many attacks there are in all.
import { PLANTS } from "./orders.ts";

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

export const LEADS = ["", "x", "# a", "*** Update File: a", "make | head", "git@a:", "https://a.b/c", "- a", "**a"];

/** As the tests count them. */
export const ATTACKS = {
  orders: PLANTS.length,
  /** Places each order was met in. */
  places: 10,
  paths: 23,
  readers: 15,
  configs: 6,
} as const;
