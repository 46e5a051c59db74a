// The terminal during the search: alternate screen and raw keys, restored on every exit.
import { forScreen } from "../../platform/terminal/style.ts";
import type { Size } from "./state.ts";
import type { Screen } from "./view.ts";

const OWN_SCREEN = "\u001b[?1049h";
const OLD_SCREEN = "\u001b[?1049l";
const PASTES_MARKED = "\u001b[?2004h";
const PASTES_PLAIN = "\u001b[?2004l";
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[2K";
const CLEAR_BELOW = "\u001b[J";

/** Exit codes: 128 + the signal's number. */
const SIGNALS = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;

export type Terminal = ReturnType<typeof openTerminal>;

export function openTerminal(stdin: NodeJS.ReadStream, stdout: NodeJS.WriteStream) {
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    stdout.write(PASTES_PLAIN + SHOW_CURSOR + OLD_SCREEN);
    stdin.setRawMode(false);
    stdin.pause();
    process.off("exit", close);
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
  const listeners = Object.entries(SIGNALS).map(([signal, exitCode]) => {
    const listener = (): void => process.exit(exitCode);
    return [signal, listener] as const;
  });
  process.on("exit", close);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  stdin.setRawMode(true);
  stdout.write(OWN_SCREEN + PASTES_MARKED);
  return {
    // A pty without a size reports 0.
    size: (): Size => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    show({ lines, cursorColumn }: Screen): void {
      // Each line is cleared first: clearing after a full line would delete its last character.
      const text = lines.map((line) => CLEAR_LINE + forScreen(line)).join("\r\n");
      stdout.write(`${HIDE_CURSOR}${HOME}${text}${CLEAR_BELOW}\u001b[1;${cursorColumn + 1}H${SHOW_CURSOR}`);
    },
    close,
  };
}
