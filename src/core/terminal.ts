// Removes terminal control sequences. Everything written to a terminal passes through here.

/** Every match of the patterns below contains one of these. */
const CONTROL_CHARACTERS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef]/;
/** OSC, DCS, SOS, PM and APC up to their end on the same line: links, titles, the clipboard. */
const STRINGS =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\n\u0007\u001b\u0090\u0098\u009c-\u009f]*(?:\u0007|\u001b\\|\u009c)/g;
/** CSI sequences (colours, cursor movement, clearing the screen), and shorter escape sequences. */
// oxlint-disable-next-line no-control-regex
const SEQUENCES = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;
const REST = new RegExp(CONTROL_CHARACTERS.source, "g");

/** Keeps line breaks and tabs. A carriage return becomes a line break: it would let text overwrite its line. */
export function terminalSafe(text: string): string {
  if (!CONTROL_CHARACTERS.test(text)) return text;
  return text.replace(/\r\n?/g, "\n").replace(STRINGS, "").replace(SEQUENCES, "").replace(REST, "");
}

/** Escapes control characters in JSON: `JSON.stringify` escapes only those below U+0020. */
export function terminalSafeJson(json: string): string {
  if (!CONTROL_CHARACTERS.test(json)) return json;
  return json.replace(REST, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
