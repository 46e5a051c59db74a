// The only place that asks a person anything. Ctrl-C or Ctrl-D at any question ends the command with nothing changed.
import { confirm, isCancel, multiselect, updateSettings } from "@clack/prompts";
import { AppError } from "../core/error.ts";
import { terminalSafe } from "../core/terminal.ts";

// Without this Ctrl-D closes stdin, and the command ends in silence with exit code 0.
updateSettings({ aliases: { "\u0004": "cancel" } });

export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** `isDestructive`: enter alone means no. */
export async function askYesNo(question: string, { isDestructive = false } = {}): Promise<boolean> {
  if (!canAsk()) {
    throw new AppError("usage", "This changes files and there is no terminal to ask on.", {
      hint: "Add --yes to go ahead, or --dry-run to see the changes.",
    });
  }
  return orCancel(
    await confirm({ message: terminalSafe(question), output: process.stderr, initialValue: !isDestructive }),
  );
}

/** All are chosen to begin with. */
export async function askWhich(
  message: string,
  options: readonly { value: string; label: string }[],
): Promise<string[]> {
  const initialValues = options.map(({ value }) => value);
  return orCancel(await multiselect({ message, options: [...options], initialValues, output: process.stderr }));
}

function orCancel<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new AppError("cancelled", "Cancelled. Nothing was changed.");
  return answer as Exclude<T, symbol>;
}
