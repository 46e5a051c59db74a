// Finds the line of an output that says what went wrong, and makes errors comparable: removes what differs between runs,
// such as times, log levels, positions, addresses, folders and numbers.
import { oneLine } from "./text.ts";

/** Prefixes and positions are searched only in the beginning of a line: some lines have megabytes. */
const MAX_LINE_CHARS = 600;

// oxlint-disable-next-line no-control-regex -- colour codes begin with an escape character
const COLOUR = /\u001B\[[0-9;]*[A-Za-z]/g;
const TIME = String.raw`(?:\d{4}-\d{2}-\d{2}(?:[T ]|$))?\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?`;
const FILE_NAME = String.raw`(?:[A-Za-z]:[\\/])?[\w@.()[\]+~$\\/-]*\.\w{1,5}`;

/** What tools print before a message, with an example each. They are removed until none is left. */
const PREFIXES: readonly RegExp[] = [
  // "build<tab>Run tests<tab>2026-01-31T10:11:12Z x is missing"
  /^[^\t]{1,80}\t[^\t]{1,80}\t(?=\d{4}-)/,
  // "[10:11:12.345] x is missing"
  new RegExp(String.raw`^[[(]?${TIME}[\])]?[:\s]+`),
  // "#12 0.345 x is missing" (docker build)
  /^#\d+ (?:\d+\.\d+ )?/,
  // "| x is missing", "× x is missing", "E   x is missing" (pytest)
  /^(?:[│┃┆|>●•*⨯✗✘✖×❌⚠!^]\uFE0F?\s+|E\s+(?=[\w.]*(?:Error|Exception)\b))/u,
  // "remote: x is missing" (git push), "<tool_use_error>x is missing</tool_use_error>"
  /^(?:remote:\s+|<\w+_error>)/,
  // "ERROR x is missing", "error[E0382]: x is missing", "npm ERR! x is missing", "[FATAL] x is missing"
  /^(?:npm )?(?:ERR!|\[?(?:ERROR|FATAL|CRITICAL|SEVERE)\]?:?)\s+/,
  /^npm error\s+(?:code \w+$)?/,
  /^\[?(?:error|fatal|panic|critical)(?:\[\w+\])?(?::|\]:?)\s*/i,
  // "error TS2304: x is missing", "12:3  error  x is missing" (eslint)
  /^(?:\d+:\d+\s+error\s+|error(?:\s{2,}|\s+(?=[A-Z]+\d+\b)))/,
  // "[lint] x is missing", "[1/3] x is missing"
  /^\[(?!rejected)[^\]\s]{1,40}\]:?\s+/,
  // "@app/web build: x is missing", "web:build: x is missing", "apps/web test$ x is missing"
  /^@[\w.-]+\/[\w.-]+(?:[ :#][\w:.-]+)?: /,
  /^[\w@./-]+[ :#](?:build|check|compile|dev|generate|lint|postinstall|prepare|start|test|typecheck)[\w:-]*[:$|] /,
  // "zsh:1: x is missing", "bash: line 3: x is missing", "./run.sh: line 3: x is missing"
  /^(?:[\w./-]*\bsh|(?:\/\S+\/)?(?:ba|z|da|k)sh|\(eval\)|\S+\.(?:sh|bash)):(?: ?(?:line )?\d+:)? /,
  // "src/a.ts:3:4: x is missing", "src/a.ts(3,4): x is missing", "src/a.ts:3:4 - x is missing"
  new RegExp(String.raw`^${FILE_NAME}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\))(?::| -)?\s+`),
];

/** Positions at the end: "x is missing (src/a.ts:3:4)", "x is missing at /app/a.js:3:4", "… from '/app/a.test.ts'" */
const POSITION_END = new RegExp(
  String.raw`\s+(?:at |in |from |--> )?['"(]?(?:${FILE_NAME}:\d+(?::\d+)?|(?<=(?:from|in) ['"]?)(?:[A-Za-z]:)?[\\/]\S+?)['")]?[.,]?$`,
);

/** "10:11:12 [web] ERROR src/a.ts:3:4 - x is missing" -> "x is missing" */
export function withoutPrefix(line: string): string {
  let text = line.replace(COLOUR, "").trim();
  const rest = text.slice(MAX_LINE_CHARS);
  text = text.slice(0, MAX_LINE_CHARS);
  for (let before = ""; before !== text;) {
    before = text;
    for (const prefix of PREFIXES) text = text.replace(prefix, "");
  }
  return (loggedMessage(text) ?? text) + rest;
}

/** The message of a structured log line: level=error msg="x is missing", {"level":"error","message":"x is missing"} */
function loggedMessage(text: string): string | undefined {
  if (!/^\{"|\blevel=/.test(text)) return undefined;
  return /(?:\bmsg=|"(?:message|msg)":\s*)"((?:[^"\\]|\\.)+)"/.exec(text)?.[1]?.replace(/\\(["\\])/g, "$1");
}

/** "ERROR Error at 12:01:02 in /a/b.ts:3" -> "error at <time> in b.ts:#" */
export function normaliseError(text: string): string {
  const message = withoutPrefix(text);
  return (
    (message.length > MAX_LINE_CHARS ? message : message.replace(POSITION_END, ""))
      .replace(/\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g, " <time> ")
      .replace(/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, " <time> ")
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, " <hex> ")
      .replace(/\b0x[0-9a-f]+\b/gi, " <hex> ")
      .replace(/\b[0-9a-f]{7,64}\b/gi, (word) => (/\d/.test(word) && /[a-f]/i.test(word) ? " <hex> " : word))
      // Keep only the last part of a path: folders differ between machines.
      .replace(/\b[A-Za-z]:(?=[\\/])/g, "")
      .replace(/[\w@.~+\\/-]+/g, lastPart)
      .replace(/[‘’“”`"']/g, "'")
      // Long quotations are values of that run: a type, a document, a command.
      .replace(/'[^']{60,}'/g, "'…'")
      // Keep numbers within names: "TS2304".
      .replace(/(?<![\p{L}\p{N}_])\d+/gu, "#")
      .toLowerCase()
      .replace(/\s+/g, " ")
      .trim()
  );
}

/** A longer one is a value, and slow to search for. */
const MAX_WORD_CHARS = 100;

/** The distinctive words of a normalised error. */
export function errorWords(normalised: string): string[] {
  const words = normalised.match(/[\p{L}\p{N}_$-]+/gu) ?? [];
  const isDistinctive = (word: string): boolean =>
    word.length > 1 && word.length <= MAX_WORD_CHARS && /\p{L}/u.test(word) && !STOP_WORDS.has(word);
  return [...new Set(words)].filter(isDistinctive);
}

/** Matches lines that start with the name of an error, a log level or a program that reports one. */
const ERROR_START =
  /^(?:npm ERR!|ERR!|\[?(?:error|fatal|panic)\b(?!\w*[- ](?:handling|messages?|codes?|boundary|pages?|states?|tests?)\b)|(?:[\w.]+\.)?\w*(?:Error|Exception)(?: \[\w+\])?:|ERR_\w+)/i;
/** "src/a.ts(3,4): error TS2304: x is missing", "3:4  error  x is missing", "level=error msg=…" */
const ERROR_LEVEL =
  /^\S+[):]\d*:? +(?:- )?(?:fatal )?error\b|^\d+:\d+ +error |\b(?:level=|"level":\s*")(?:error|fatal)/i;
/** Matches words of error messages. They count only outside of code, listings and successes. */
const ERROR_WORDS =
  /\b(?:error|fail(?:ed|s|ure)?|exception|panic(?:ked)?|fatal|cannot|can't|could ?n[o']t|unable to|not (?:found|permitted|allowed|installed|authori[sz]ed|a (?:git|function|directory|valid)|defined|assignable)|no (?:such|matches|module|matching|configuration|pull requests?)|does ?n[o']t exist|already (?:exists|in use|claimed)|denied|refused|rejected|unexpected|unrecogni[sz]ed|unknown|unmatched|unsupported|illegal|undefined|invalid|missing|expected|exceeded|timed out|timeout|overwritten|conflict|ignored by|refusing|aborted|at most|at least|requires?d?|HTTP [45]\d\d)\b/i;

/** Lines that report a success: "0 errors", "✓ handles the error", "Done without errors". */
const SUCCESS =
  /^(?:\(pass\)|[✓✔√☑]|ok \d+\b|--- PASS|PASS\b|\[COMPLETED\]|Passed\b)|\b(?:0|zero) (?:\w+ )?(?:errors?|fail(?:ures?|ed|ing)?|problems?|issues?|warnings?)\b|\b(?:no|without(?: any)?) (?:\w+ )?(?:errors|failures|problems|issues|warnings)\b|\berrors?: *(?:0|none|null|\[\])(?=\W|$)|\.{4,}\s*(?:Passed|Skipped)$|[✓✔]$|^(?!.*\bfail).*\bpassed$/iu;
/** "All tests so far passed": errors in the output before were expected by the tests. */
const ALL_PASSED =
  /^(?:0 fail(?:ed|ing)?$|Tests?:? +(?:Suites: )?(?!.*\bfailed)\d+ passed|Test Files +\d+ passed \(|=+ \d+ passed in |test result: ok\.|(?:ok|PASS)\s+\S+\s+[\d.]+s$)/;
const TEST_PASSED = /^(?:\(pass\)|\d+ pass$|[✓✔√]\s|ok \d+\b|--- PASS)/u;
const TEST_FAILED = /^(?:\(fail\)|● .* › |not ok \d+\b|--- FAIL|FAIL(?:ED)?\b)/;
/** Lines of files and diffs, and echoed commands: "12 │ if (error) {", "+ return error", "at f (a.ts:1:2)", "$ tsc" */
const LISTING =
  /^(?:>?\s*\d+\s*(?:\d+\s*)?[│|]|\d+[\t:]\s|[+-]{1,3}\s|[+-]{3}|@@|at \S|[│|]?\s*[~^]{2,}|\/\/|\/?\*|#+\s|<\/?\w[^>]*>?$|--?\w[\w-]*(?:[ ,=]|$)|\$ |> \S+(?:@\d| run\b| --?\w)|[iℹ]\s|(?:expected|received)\b.*:|for more )|:\s+\d+ \| /i;
/** Lines of code and search results, unless they begin with an error: "if (error) {", "src/a.ts:12: unknown" */
const CODE =
  /=>|[;{,]$|^(?:const|let|var|import|export) .*[={]|^(?:if|for|while|function|throw|raise|def|return|expect)\b.*[({]|^[\w@./[\]-]*\.\w+[:-]\d+[:-](?!\d+:)/;

/** The line that a tool printed, if the text is one or has one that begins like an error. */
export function outputLineOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.includes("\n")) {
    const line = errorLine(trimmed, MESSAGE_CHARS);
    return ERROR_START.test(line) ? line : undefined;
  }
  const line = trimmed.slice(0, MAX_LINE_CHARS);
  if (!/\s/.test(line) || COMMIT_SUBJECT.test(line)) return undefined;
  const isShort = line.split(/\s+/).length <= MAX_PROSE_WORDS;
  const isPrinted = ERROR_START.test(line) || (isShort && (ERROR_WORDS.test(line) || OUTPUT_MARKS.test(line)));
  return isPrinted ? line : undefined;
}

/** A longer line that does not begin like an error is a request. */
const MAX_PROSE_WORDS = 25;

/** "fix(cart): reject an unknown item" */
const COMMIT_SUBJECT = /^(?:feat|fix|docs|chore|refactor|style|test|perf|build|ci|revert)(?:\([^)]*\))?!?: /;
const OUTPUT_MARKS = /[│┃→·{}<>;=$\\|]|^[^\p{L}\p{N}"'“(]|::|\s--?\w|\w: .*: /u;

type LineKind = "error" | "likely" | "generic";

/** Whether the line reports an error: also one that tools print for every failure. */
export function isErrorLine(line: string): boolean {
  return kindOf(line) !== undefined;
}

function kindOf(line: string): LineKind | undefined {
  if (SUCCESS.test(line) || TEST_FAILED.test(line) || LISTING.test(line)) return undefined;
  const message = withoutPrefix(line);
  const isError = ERROR_START.test(line) || ERROR_START.test(message) || ERROR_LEVEL.test(line);
  if (!isError && (CODE.test(line) || !ERROR_WORDS.test(line))) return undefined;
  if (isGeneric(message)) return "generic";
  return isError ? "error" : "likely";
}

/** With more lines than this, and none that looks like an error, the last line is probably something else. */
const FEW_LINES = 3;
const SHOWN_CHARS = 160;

/** The line of an output that says what went wrong. "" if no line does. */
export function errorLine(output: string, maxChars: number = SHOWN_CHARS): string {
  const lines = output
    .replace(COLOUR, "")
    .replace(/<\/?tool_use_error>/g, "")
    .split("\n")
    .map((line) => line.slice(0, MAX_LINE_CHARS * 2).trim())
    .filter((line) => line !== "" && !/^Exit code \d+$/.test(line));
  const found = findErrors(lines);
  const [best] = (["error", "likely", "generic"] as const).flatMap(
    (kind) => found.find((one) => one.kind === kind) ?? [],
  );
  const last =
    lines.length <= FEW_LINES ? lines.findLast((line) => !SUCCESS.test(line) && !LISTING.test(line)) : undefined;
  return oneLine(best?.line ?? last ?? "", maxChars);
}

/** Without errors that belong to passed tests. */
function findErrors(lines: readonly string[]): { line: string; kind: LineKind }[] {
  const found: { line: string; kind: LineKind }[] = [];
  let sinceTest = 0;
  for (const line of lines) {
    if (ALL_PASSED.test(line)) found.length = sinceTest = 0;
    else if (TEST_PASSED.test(line)) found.length = sinceTest;
    else if (TEST_FAILED.test(line)) {
      // bun prints a test's error just before the test. Earlier ones were logged by the tested code.
      if (line.startsWith("(fail)")) found.splice(sinceTest, Math.max(0, found.length - sinceTest - 1));
      sinceTest = found.length;
    }
    const kind = kindOf(line);
    if (kind !== undefined) found.push({ line, kind });
  }
  return found;
}

const TAIL_LINES = 60;
/** Longer than what is shown: a cut line would be a different error. */
const MESSAGE_CHARS = 400;

/** Searches only the end of a long output: earlier errors often come from other programs. */
export function lastError(output: string): string {
  return errorLine(output.split("\n").slice(-TAIL_LINES).join("\n"), MESSAGE_CHARS);
}

/** Messages without prefix that tools print for every failure. They identify nothing. */
const GENERIC =
  /^(?:$|exit(?:ed)?\b|exit code|code E?[A-Z]+|errno\b|syscall\b|node -v|elifecycle|ERR_PNPM_RECURSIVE|(?:a )?complete log of this run|lifecycle script|this is (?:probably )?not |not ok\b|tests?(?: suites?| files?)?:? |\d+ (?:failed|failing|errors?|problems?|tests?|checks?)\b|found \d+ |failures?\b:?$|errors?:?$|failed(?: to compile)?\.?$|traceback\b|during handling of|the above exception|caused by:?$|what went wrong|run with |hint:|usage:|options?:|try |for more |see |make(?:\[\d+\])?: |ninja: |cmake error|build (?:failed|stopped)|compilation (?:failed|error)|could not compile|aborting due to|aborted|killed|terminated|execution failed for task|failure: build|(?:some|the following|one or more|an|unhandled|uncaught|internal|unexpected|unknown) errors?\b(?: (?:was|were|has|have|occurred|between|emitted|server).*)?[.:]?$|some errors were|something went wrong|skipped because|reverting to|process (?:didn|did not|completed)|subprocess-exited|metadata-generation|sibling tool call|the user doesn't want|cancelled:|failed to push some refs|could not apply|conflict \(|automatic merge failed|task .{0,80}failed|husky\b|\(use "git|expect\(|assert(?:ion)?(?:error)?:? *(?:assert\b|$)|test timed out|timed? ?out\.?$|formatter would have|code style issues|tserror: . unable to compile|(?:error )?context: |file content differs|format)/i;
/** "Command failed with exit code 1", "script "lint" exited with code 1", "recipe for target 'all' failed" */
const GENERIC_END =
  /\b(?:exit(?:ed|s)?|returned|completed|finished|failed|failure|non-zero)\b[^:]{0,40}\b(?:code|status|value)\b:?\s*\(?-?(?:\d+|0x\w+)|\bsignal SIG[A-Z]+$|\bfail\s+\d+m?\d*s\b|^(?:command|script|process|recipe|task|step|job|build|tests?|hook|run|compile|lint)\b.{0,60}\bfail(?:ed|ure)[.!]?$|^fail(?:ed|ure)?:? \w+(?: \w+)?$/i;
/** Words that most failures share. */
const GENERIC_WORDS = new Set(
  "error errors failed failing failure fail exit exited code status command exception exceptions warning warnings not test tests task tasks build script process job step run running with due check checks file files occurred found expected received got uncaught unhandled got be equal deeply true false null undefined value values object array string contain include match assert".split(
    " ",
  ),
);
const MIN_WORDS = 3;

/** `message`: without prefix. */
function isGeneric(message: string): boolean {
  if (GENERIC.test(message) || GENERIC_END.test(message)) return true;
  const normalised = normaliseError(message);
  // "undefined: cartTotal" has two words, and the second one identifies it.
  if (normalised.split(" ").length < MIN_WORDS && !/: \w/.test(normalised)) return true;
  const words = errorWords(normalised).filter((word) => !/^\w*(?:error|exception)$/.test(word));
  return words.every((word) => GENERIC_WORDS.has(word));
}

/** Whether the line is printed for every failure, so that it identifies no error. */
export function isGenericError(line: string): boolean {
  return isGeneric(withoutPrefix(line));
}

/** The message of an error line without prefix and position; undefined if it is printed for every failure. */
export function errorMessage(line: string): string | undefined {
  const kind = kindOf(line.trim());
  return kind === "error" || kind === "likely" ? withoutPrefix(line).replace(/<\/\w+_error>$/, "") : undefined;
}

function lastPart(path: string): string {
  const parts = path.split(/[\\/]+/).filter(Boolean);
  return parts.at(-1) ?? "/";
}

const STOP_WORDS = new Set(
  "the an to of in on at is are was were be been it its this that and or for with from by as if time hex line".split(
    " ",
  ),
);

/** True if the user rejected the tool call: it never ran, so the output is not an error of the tool. */
export function isDenial(output: string): boolean {
  return /^The user doesn't want to (?:proceed|take this action)/.test(output);
}
