// The envelope of every JSON reply and error, the same on the command line and over HTTP.
import { AppError } from "../core/error.ts";

export type Json = Record<string, unknown>;

export interface Answer {
  data: unknown;
  meta?: object | undefined;
  /** The command's exit code (default: 0), e.g. 1 if a check failed. */
  exitCode?: number;
}

const SCHEMA_VERSION = 1;

export function answerJson(command: string, { data, meta = {} }: Answer): Json {
  return { schema_version: SCHEMA_VERSION, command, data, meta };
}

export interface ErrorJson {
  schema_version: number;
  command: string;
  error: { code: string; message: string; hint: string | undefined };
}

export function errorJson(command: string, error: unknown): ErrorJson {
  const known = error instanceof AppError;
  const message = error instanceof Error ? error.message : String(error);
  const hint = known ? error.hint : "This is a bug in c-mem. Please report it with the lines above.";
  return { schema_version: SCHEMA_VERSION, command, error: { code: known ? error.code : "internal", message, hint } };
}
