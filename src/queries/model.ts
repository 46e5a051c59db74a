// The state of the embedding model that semantic search needs.
import { statSync } from "node:fs";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { findMiniLm, minilmFile } from "../embed/minilm.ts";
import { checkModel } from "../embed/model-file.ts";
import { bytes, fields, heading } from "../platform/terminal/style.ts";
import { defineQuery } from "./query.ts";
import { countOf, textOrNull } from "./schemas.ts";

const STATE_TEXTS = {
  ready: "ready",
  unmade: "downloaded; converted by the first search, or by the worker",
  missing: "not installed; keyword search only (c-mem model install)",
  damaged: "damaged; keyword search only (c-mem model install)",
} as const;

type State = keyof typeof STATE_TEXTS;

export const modelStatus = defineQuery({
  name: "model",
  about: "show the state of the embedding model",
  fields: {},
  http: { path: "/api/model", tag: "health" },
  reply: (z) => ({
    data: z.strictObject({
      state: z.enum(["ready", "unmade", "missing", "damaged"]),
      path: z.string(),
      id: textOrNull(z),
      dimensions: countOf(z).nullable(),
      bytes: countOf(z).nullable(),
    }),
  }),
  run: (_input, { paths }) => ({ data: modelState(paths) }),
  text({ data: { state, path, id, dimensions, bytes: size } }) {
    const rows: [string, string][] = [["state", STATE_TEXTS[state]]];
    if (id !== null) rows.push(["model", `${id}, ${dimensions} dimensions`]);
    if (size !== null) rows.push(["file", `${path}, ${bytes(size)}`]);
    return `${heading("Embedding model")}\n${fields(rows)}`;
  },
});

export function modelState(paths: Paths) {
  const path = minilmFile(paths);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? null;
  const stateJson = (state: State) => ({ state, path, id: null, dimensions: null, bytes: size });
  try {
    const { id, shape } = checkModel(path);
    return { ...stateJson("ready"), id, dimensions: shape.hidden };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== "model_missing") return stateJson("damaged");
    return stateJson(findMiniLm(paths) === undefined ? "missing" : "unmade");
  }
}
