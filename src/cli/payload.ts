// Reads the payload of `c-mem context`: an agent's hook has one on stdin, a person or a script does not.
import { fstatSync, readFileSync } from "node:fs";

/**
 * Waits this long for the first byte: an agent's shell may leave an open, empty pipe as stdin. A hook's payload is there
 * before Node has started.
 */
const WAIT_MS = 500;

/** Undefined if stdin is empty. */
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

/** Reads a pipe or socket to its end; empty if no byte arrives in time. */
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
