// Whether an agent runs `c-mem context` as a hook, with a payload on stdin, or a person or script runs it without one.
import { fstatSync, readFileSync } from "node:fs";

/**
 * An agent's shell may leave stdin an open pipe that carries nothing. Agents write a hook's payload as soon as they
 * have started it, before Node is up.
 */
const WAIT_MS = 500;

/** Undefined where stdin carries nothing but white space. */
export async function readPayload(): Promise<string | undefined> {
  const text = await readAll();
  return text.trim() === "" ? undefined : text;
}

async function readAll(): Promise<string> {
  const stat = statStdin();
  if (stat === undefined || stat.isCharacterDevice()) return "";
  return stat.isFile() ? readFileSync(0, "utf8") : readStream(process.stdin);
}

function statStdin(): ReturnType<typeof fstatSync> | undefined {
  try {
    return fstatSync(0);
  } catch {
    return undefined;
  }
}

/** All of a pipe or socket; nothing where the first byte does not come in time. */
function readStream(stream: NodeJS.ReadStream): Promise<string> {
  return new Promise((done) => {
    const chunks: Buffer[] = [];
    const finish = (): void => {
      clearTimeout(timer);
      stream.pause();
      // An open pipe would keep the process alive.
      stream.unref?.();
      done(Buffer.concat(chunks).toString("utf8"));
    };
    const timer = setTimeout(finish, WAIT_MS);
    stream.on("data", (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    stream.once("end", finish);
    stream.once("error", finish);
  });
}
