// Reads a command line that is as it should be. Anything else (help, a mistake, half a word) is for the library that
// explains it, which takes longer to load than most commands take to run.
import { COMMANDS, type CommandOptions, type Definition } from "./table.ts";

export interface Parsed extends CommandOptions {
  definition: Definition;
}

interface Flag {
  key: string;
  takesValue: boolean;
  isNegative: boolean;
}

export function parseCommandLine(argv: readonly string[]): Parsed | undefined {
  const definition = COMMANDS.find(({ name }) => name.split(" ")[0] === argv[0]);
  if (definition === undefined) return undefined;
  const known = flagsOf(definition);
  const flags: Record<string, unknown> = {};
  // "--no-sync" alone means that it is on unless somebody says so; beside "--sync" nothing is said yet.
  const all = [...known.values()];
  for (const { key, isNegative } of all) {
    if (isNegative && all.every((other) => other.isNegative || other.key !== key)) flags[key] = true;
  }
  const args: string[] = [];
  for (let index = 1; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--") {
      args.push(...argv.slice(index + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      args.push(word);
      continue;
    }
    const [name = "", attached] = word.startsWith("--") ? splitOnce(word) : [word];
    const flag = known.get(name);
    if (flag === undefined || (attached !== undefined && !flag.takesValue)) return undefined;
    const value = flag.takesValue ? (attached ?? argv[++index]) : !flag.isNegative;
    // "-" alone is stdin or stdout, a value like any other.
    const isOption = value !== "-" && String(value).startsWith("-");
    if (value === undefined || (attached === undefined && flag.takesValue && isOption)) return undefined;
    flags[flag.key] = value;
  }
  return fits(definition, args) ? { definition, args, flags, json: flags["json"] === true } : undefined;
}

function splitOnce(word: string): [string, string?] {
  const sign = word.indexOf("=");
  return sign === -1 ? [word] : [word.slice(0, sign), word.slice(sign + 1)];
}

/** By every spelling: "-p, --project <name>" gives "-p" and "--project". */
function flagsOf({ options = [] }: Definition): Map<string, Flag> {
  const flags = new Map<string, Flag>([["--json", { key: "json", takesValue: false, isNegative: false }]]);
  for (const [spec] of options) {
    const spellings = spec.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? [];
    const long = spellings.find((spelling) => spelling.startsWith("--")) ?? "";
    const isNegative = long.startsWith("--no-");
    const key = long.replace(/^--(?:no-)?/, "").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    for (const spelling of spellings) flags.set(spelling, { key, takesValue: spec.includes("<"), isNegative });
  }
  return flags;
}

/** As many arguments as "search <words...>" or "context [project]" asks for. */
function fits({ name }: Definition, args: readonly string[]): boolean {
  const wanted = name.split(" ").slice(1);
  const least = wanted.filter((word) => word.startsWith("<")).length;
  const isOpen = wanted.some((word) => word.includes("..."));
  return args.length >= least && (isOpen || args.length <= wanted.length);
}
