// Turns terminal input into keys, with Node's decoder. A paste becomes one text.
import { emitKeypressEvents, type Interface, type Key as Keypress } from "node:readline";

/** Node's names: "up", "ctrl-a", "meta-b", "shift-tab", "return". */
export type Key = { kind: "text"; text: string } | { kind: "key"; name: string };

/** After this time a lone escape character is the Escape key; parts of a split sequence arrive sooner. */
const ESCAPE_MS = 50;
/**
 * Keys within this time are handled together. Otherwise each piece of a paste would start a search, and each line break
 * would be Enter.
 */
const GATHER_MS = 8;

/* oxlint-disable-next-line no-control-regex */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Calls `take` with the keys of each burst, until the returned function is called. */
export function readKeys(stdin: NodeJS.ReadableStream, take: (keys: Key[]) => void): () => void {
  let keys: Key[] = [];
  let paste: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const onKeypress = (text: string | undefined, key: Keypress): void => {
    const name = nameOf(key);
    if (name === "paste-start") paste = "";
    else if (name === "paste-end") {
      keys.push({ kind: "text", text: paste ?? "" });
      paste = undefined;
    } else if (paste !== undefined && name !== "ctrl-c") {
      const isControl = text === undefined || CONTROL.test(text);
      paste += !isControl ? text : paste.endsWith(" ") ? "" : " ";
      return;
    } else {
      // A paste without an end must not lock the keyboard.
      paste = undefined;
      const isText = text !== undefined && !key.ctrl && !key.meta && !CONTROL.test(text);
      keys.push(isText ? { kind: "text", text } : { kind: "key", name });
    }
    clearTimeout(timer);
    timer = setTimeout(() => {
      const gathered = joinTexts(keys);
      keys = [];
      if (gathered.length > 0) take(gathered);
    }, GATHER_MS);
  };
  emitKeypressEvents(stdin, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  stdin.on("keypress", onKeypress);
  return () => {
    clearTimeout(timer);
    stdin.off("keypress", onKeypress);
  };
}

function nameOf({ name = "", ctrl, meta, shift }: Keypress): string {
  // Node calls the key itself "meta-escape".
  if (name === "escape") return name;
  return [ctrl && "ctrl", meta && "meta", shift && "shift", name].filter(Boolean).join("-");
}

function joinTexts(keys: readonly Key[]): Key[] {
  const joined: Key[] = [];
  let isPaste = false;
  for (const key of keys) {
    if (key.kind === "key") {
      joined.push(key);
      continue;
    }
    // A line break directly before text is part of a paste: some terminals do not mark pastes.
    const isAfterBreak = dropLineBreaks(joined);
    isPaste ||= isAfterBreak;
    const last = joined.at(-1);
    const text = (last?.kind === "text" ? last.text : "") + (isAfterBreak ? " " : "") + key.text;
    if (last?.kind === "text") joined.pop();
    joined.push({ kind: "text", text });
  }
  // Terminals hand over long pastes in parts, and a part may end at a line break: "a\rb\r", then "c" -> "a b ", "c"
  if (isPaste && dropLineBreaks(joined)) joined.push({ kind: "text", text: " " });
  return joined;
}

function dropLineBreaks(keys: Key[]): boolean {
  const before = keys.length;
  while (isLineBreak(keys.at(-1))) keys.pop();
  return keys.length < before;
}

function isLineBreak(key: Key | undefined): boolean {
  return key?.kind === "key" && (key.name === "return" || key.name === "enter");
}
