// `npm run check:words`: fails on retired words.
// A line that needs such a word as data, e.g. text that the extractor classifies, contains `check-words: data`.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const RETIRED =
  /\b(?:mend(?:s|ed|ing)?|whoever|anew|doomed|buried|nobody|somebody|where you stand|goes by (?:words|meaning)|has left|set aside|is none)\b/giu;
const PATHS = ["src", "test", "bench", "dev", "docs", "plugin", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"];

/** Bundles, recorded sessions, applied migrations (never edited), this file. */
const SKIPPED = /^(?:plugin\/dist\/|test\/fixtures\/|src\/store\/db\/migrations\/|dev\/check-words\.ts$)/u;

const files = execFileSync("git", ["ls-files", "-z", "--", ...PATHS], { encoding: "utf8" }).split("\0");
let hits = 0;
for (const file of files.filter((path) => existsSync(path) && !SKIPPED.test(path))) {
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (line.includes("check-words: data")) continue;
    for (const [word] of line.matchAll(RETIRED)) {
      console.log(`${file}:${index + 1}: ${word}`);
      hits += 1;
    }
  }
}
if (hits > 0) process.exitCode = 1;
