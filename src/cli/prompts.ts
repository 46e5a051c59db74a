// All questions to the user. Ctrl-C or Ctrl-D at any of them ends the command with nothing changed.
import { confirm, isCancel, multiselect, select, text, updateSettings } from "@clack/prompts";
import { AppError } from "../core/error.ts";
import { terminalSafe } from "../core/terminal.ts";

// Without this Ctrl-D closes stdin, and the command ends silently with exit code 0.
updateSettings({ aliases: { "\u0004": "cancel" } });

export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** `isDestructive`: Enter alone means no. */
export async function askYesNo(question: string, { isDestructive = false } = {}): Promise<boolean> {
  if (!canAsk()) {
    throw new AppError("usage", "Confirmation is needed, but stdin is not a terminal.", {
      hint: "Add --yes to confirm, or --dry-run to see the changes.",
    });
  }
  return orCancel(
    await confirm({ message: terminalSafe(question), output: process.stderr, initialValue: !isDestructive }),
  );
}

/** All options are selected at first. */
export async function askWhich(
  message: string,
  options: readonly { value: string; label: string }[],
): Promise<string[]> {
  const initialValues = options.map(({ value }) => value);
  return orCancel(await multiselect({ message, options: [...options], initialValues, output: process.stderr }));
}

export interface Choice<Value extends string> {
  value: Value;
  label: string;
  /** Shown beside the label while the option is active. */
  hint?: string;
}

/** The first option is selected at first. */
export async function askOne<Value extends string>(message: string, choices: readonly Choice<Value>[]): Promise<Value> {
  const options = choices.map(({ value, label, hint }) => ({ value: value as string, label, ...(hint && { hint }) }));
  return orCancel(await select({ message, options, output: process.stderr })) as Value;
}

/** `problemOf`: why the text cannot be used. */
export async function askText(
  message: string,
  initialValue: string,
  problemOf: (value: string) => string | undefined,
): Promise<string> {
  const answer = await text({
    message: terminalSafe(message),
    initialValue: terminalSafe(initialValue),
    validate: (value) => problemOf((value ?? "").trim()),
    output: process.stderr,
  });
  return orCancel(answer).trim();
}

function orCancel<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new AppError("cancelled", "Cancelled. Nothing was changed.");
  return answer as Exclude<T, symbol>;
}
