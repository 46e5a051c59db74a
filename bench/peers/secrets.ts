// Sends sample secrets in hook payloads and counts how many the tool keeps, or sends to its model, in clear text.
import { runHooks } from "./hook-runner.ts";
import type { Runner } from "./hooks.ts";
import type { ModelServer } from "./model-server.ts";
import { bashUse, type Payload, payloadOf } from "./payloads.ts";
import { wait } from "./place.ts";
import { sampleSecrets, type SampleSecret } from "./sample-secrets.ts";
import { storedTexts } from "./stored-text.ts";

export interface SecretCount {
  sent: number;
  stored: string[];
  /** Sent to the model. */
  modelSaw: number;
  /** Samples whose text around the secret is stored: only these show anything. */
  recorded: number;
}

export async function measureSecrets(
  { contestant, place }: Runner,
  model: ModelServer,
): Promise<SecretCount | undefined> {
  const file = contestant.hooks?.(place);
  if (file === undefined) return undefined;
  const session = "44444444-5555-4666-8777-888888888888";
  const samples = sampleSecrets();
  await runHooks(place, file, payloadOf("SessionStart", place, session));
  await runHooks(
    place,
    file,
    payloadOf("UserPromptSubmit", place, session, { prompt: "Check how the settings are read" }),
  );
  for (const [index, sample] of samples.entries()) await runHooks(place, file, payloadWith(sample, index));
  await contestant.settle?.(place);
  await wait(3_000);
  const texts = [...storedTexts(place.home).values()];
  const isStored = (text: string): boolean => texts.some((one) => one.includes(text));
  return {
    sent: samples.length,
    stored: samples.filter(({ secret }) => isStored(secret)).map(({ kind }) => kind),
    modelSaw: samples.filter(({ secret }) => model.texts.some((text) => text.includes(secret))).length,
    recorded: samples.filter((_, index) => isStored(markOf(index))).length,
  };

  /** In turn as a prompt, in a command, and in what a command printed. */
  function payloadWith({ text }: SampleSecret, index: number): Payload {
    const mark = markOf(index);
    if (index % 3 === 0) {
      const prompt = `Look at ${mark}, which has this in it, and tell me how it is used:\n${text}`;
      return payloadOf("UserPromptSubmit", place, session, { prompt });
    }
    if (index % 3 === 1)
      return bashUse(place, session, `./${mark}.sh <<'END'\n${text}\nEND`, "The script ended well.\n");
    return bashUse(place, session, `cat ${mark}`, `${text}\n# end of ${mark}\n`);
  }
}

const markOf = (index: number): string => `sample${String(index).padStart(3, "0")}qzx`;
