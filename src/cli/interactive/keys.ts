// Turns terminal input into keys. Escape sequences may arrive in pieces, pastes in one.

export type Key = { kind: "text"; text: string } | { kind: "key"; name: string };

export interface KeyReader {
  read(bytes: Uint8Array): Key[];
  /** For when nothing followed: an escape that begins no sequence is the escape key. */
  flush(): Key[];
}

export function createKeyReader(): KeyReader {
  const decoder = new TextDecoder();
  let rest = "";
  const take = (isEnd: boolean): Key[] => {
    const keys: Key[] = [];
    while (rest !== "") {
      const step = nextKey(rest, isEnd);
      if (step === undefined) break;
      rest = rest.slice(step.length);
      if (step.key !== undefined) keys.push(step.key);
    }
    return joinTexts(keys);
  };
  return {
    read(bytes) {
      rest += decoder.decode(bytes, { stream: true });
      return take(false);
    },
    flush: () => take(true),
  };
}

interface Step {
  /** How many characters it took. */
  length: number;
  /** None for what we do not know. */
  key?: Key;
}

const ESCAPE = "\u001b";
const PASTE_START = "\u001b[200~";
const PASTE_END = "\u001b[201~";
const INTERRUPT = "\u0003";

/* oxlint-disable no-control-regex */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g;
const TEXT = /^[^\u0000-\u001f\u007f-\u009f]+/;
/** A line break with text after it in the same piece was pasted into a terminal that does not say so. */
const PASTED_BREAK = /^[\r\n]+(?=[^\u0000-\u001f\u007f-\u009f])/;
const SEQUENCE = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])/;
const BEGUN_SEQUENCE = /^\u001b(?:\[[0-?]*[ -/]*|O)$/;
/* oxlint-enable no-control-regex */

function nextKey(input: string, isEnd: boolean): Step | undefined {
  if (input.startsWith(PASTE_START)) return pasted(input);
  if (input.startsWith(ESCAPE)) return escaped(input, isEnd);
  const text = TEXT.exec(input)?.[0];
  if (text !== undefined) return { length: text.length, key: { kind: "text", text } };
  const lineBreak = PASTED_BREAK.exec(input)?.[0];
  if (lineBreak !== undefined) return { length: lineBreak.length, key: { kind: "text", text: " " } };
  return { length: 1, ...named(controlName(input.charCodeAt(0))) };
}

function pasted(input: string): Step | undefined {
  const end = input.indexOf(PASTE_END);
  if (end !== -1) {
    const text = input.slice(PASTE_START.length, end).replace(CONTROL, " ");
    return { length: end + PASTE_END.length, key: { kind: "text", text } };
  }
  // A paste without an end must not lock the keyboard.
  return input.includes(INTERRUPT) ? { length: input.length, ...named("ctrl-c") } : undefined;
}

const SEQUENCES: Readonly<Record<string, string>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  OH: "home",
  OF: "end",
  "[1~": "home",
  "[3~": "delete",
  "[4~": "end",
  "[5~": "page-up",
  "[6~": "page-down",
  "[7~": "home",
  "[8~": "end",
  "[Z": "shift-tab",
  "[1;5C": "word-right",
  "[1;5D": "word-left",
  "[1;3C": "word-right",
  "[1;3D": "word-left",
};

const ALT: Readonly<Record<string, string>> = { b: "word-left", f: "word-right", "\u007f": "ctrl-w", "\b": "ctrl-w" };

function escaped(input: string, isEnd: boolean): Step | undefined {
  const sequence = SEQUENCE.exec(input)?.[0];
  if (sequence !== undefined) return { length: sequence.length, ...named(SEQUENCES[sequence.slice(1)]) };
  if (input.length === 1) return isEnd ? { length: 1, ...named("escape") } : undefined;
  if (BEGUN_SEQUENCE.test(input)) return isEnd ? { length: input.length } : undefined;
  if (input.startsWith(ESCAPE, 1)) return { length: 1, ...named("escape") };
  const character = String.fromCodePoint(input.codePointAt(1) ?? 0);
  return { length: 1 + character.length, ...named(ALT[character]) };
}

const CONTROL_NAMES: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  10: "enter",
  13: "enter",
  127: "backspace",
};

function controlName(code: number): string | undefined {
  return CONTROL_NAMES[code] ?? (code >= 1 && code <= 26 ? `ctrl-${String.fromCharCode(96 + code)}` : undefined);
}

function named(name: string | undefined): { key?: Key } {
  return name === undefined ? {} : { key: { kind: "key", name } };
}

function joinTexts(keys: readonly Key[]): Key[] {
  const joined: Key[] = [];
  for (const key of keys) {
    const last = joined.at(-1);
    if (key.kind === "text" && last?.kind === "text") {
      joined[joined.length - 1] = { kind: "text", text: last.text + key.text };
    } else joined.push(key);
  }
  return joined;
}
