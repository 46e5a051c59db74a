// Generates a store of any size: sessions in two projects over three years, with word frequencies as in real text.
import { spawnSync } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { join } from "node:path";
import { codesOf, recordBytes } from "../src/core/vector-record.ts";
import { scopeWord, dayWord } from "../src/core/words.ts";
import { type Db, openDriver } from "../src/store/db/driver.ts";
import { transaction } from "../src/store/db/transaction.ts";
import { VECTORS_PER_CHUNK } from "../src/store/vectors/vector-chunks.ts";
import { type EmbeddingModel, setWantedModel } from "../src/store/vectors/vectors.ts";
import { seeded } from "../test/chaos/chance.ts";
import { BIN } from "./measure.ts";

const USES_PER_TURN = 10;
const TURNS_PER_SESSION = 5;
const VOCABULARY = 40_000;
const WORDS_PER_ROW = 40;
/** One session in this many belongs to the small project. */
const SMALL_PROJECT_EVERY = 50;
export const BIG_PROJECT = 1;
export const SMALL_PROJECT = 2;
/** Three years of sessions. */
const SPAN_MS = 3 * 365 * 86_400_000;
/** One tool use in this many fails. */
const FAILURE_EVERY = 10;

/** Seeded, so that every run generates the same store. */
const random = seeded(1);

const SYLLABLES = [..."bcdfghklmnprtvz"].flatMap((consonant) => [..."aeiou"].map((vowel) => consonant + vowel));

/** The word of a frequency rank; 1 is the most frequent. Some words resemble each other, as in real text. */
function nthWord(rank: number): string {
  let word = "n";
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word = (SYLLABLES[rest % SYLLABLES.length] ?? "") + word;
  }
  return word;
}

/** Words by Zipf's law, as in real text: few very common ones, many rare ones. */
export function text(words: number): string {
  return Array.from({ length: words }, () => nthWord(Math.floor(VOCABULARY ** random()))).join(" ");
}

/** Creates a store in `home` with this many tool uses. */
export function createStore(home: string, size: number): Db {
  // Any command creates the database with its schema.
  spawnSync(process.execPath, [BIN, "projects"], { env: { PATH: process.env["PATH"], C_MEM_WORKER: "0", HOME: home } });
  const db = openDriver(join(home, ".c-mem", "c-mem.db"), { busyTimeoutMs: 1000 });
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;");
  for (const name of ["app", "tool"])
    db.run("INSERT INTO projects (key, name, root, created_at) VALUES (?, ?, '/', 1)", name, name);
  const sessions = size / (USES_PER_TURN * TURNS_PER_SESSION);
  for (let from = 0; from < sessions; from += 200) {
    transaction(db, () => {
      for (let index = from; index < Math.min(from + 200, sessions); index++) addSession(db, index, sessions);
    });
  }
  for (const table of ["turns_fts", "tool_uses_fts", "prompts_trigram"])
    db.exec(`INSERT INTO ${table} (${table}) VALUES ('optimize')`);
  // Marks everything as indexed, so that searches do not index it again.
  db.run("UPDATE index_state SET last_id = (SELECT max(id) FROM tool_uses) WHERE name = 'tool_uses'");
  return db;
}

/** Index 0 is the newest session: a first sync writes the newest first. */
function addSession(db: Db, index: number, sessions: number): void {
  const project = index % SMALL_PROJECT_EVERY === 0 ? SMALL_PROJECT : BIG_PROJECT;
  const at = Math.floor((1 - index / sessions) * SPAN_MS);
  const { lastId: session } = db.run(
    "INSERT INTO sessions (session_id, agent, project_id, cwd, prompt_count, started_at, last_at) VALUES (?, 'claude-code', ?, '/app', ?, ?, ?)",
    `s${index}`,
    project,
    TURNS_PER_SESSION,
    at,
    at + 500,
  );
  for (let turn = 1; turn <= TURNS_PER_SESSION; turn++) addTurn(db, { session, project, turn, at: at + turn });
}

/** Every other turn is short, so that its index row also has words of its neighbour turns. */
function addTurn(db: Db, turn: { session: number; project: number; turn: number; at: number }): void {
  const scope = `${scopeWord(turn.project)} ${dayWord(turn.at)}`;
  const asked = text(12);
  const isShort = turn.turn % 2 === 0;
  const { lastId: prompt } = db.run(
    "INSERT INTO prompts (session_db_id, prompt_number, text, created_at, ended_at) VALUES (?, ?, ?, ?, ?)",
    turn.session,
    turn.turn,
    asked,
    turn.at,
    turn.at,
  );
  db.run("INSERT INTO prompts_trigram (rowid, text) VALUES (?, ?)", prompt, asked);
  db.run(
    "INSERT INTO turns_fts (rowid, scope, prompt, answer, calls, beside) VALUES (?, ?, ?, ?, ?, ?)",
    prompt,
    scope,
    asked,
    text(isShort ? 8 : WORDS_PER_ROW * 3),
    text(WORDS_PER_ROW),
    isShort ? text(WORDS_PER_ROW * 2) : "",
  );
  for (let use = 0; use < USES_PER_TURN; use++) {
    const [command, output] = [text(8), text(WORDS_PER_ROW)];
    const isError = random() < 1 / FAILURE_EVERY ? 1 : 0;
    const { lastId: id } = db.run(
      `INSERT INTO tool_uses (session_db_id, prompt_number, tool_use_id, name, input, output, is_error, exit_code, created_at)
       VALUES (?, ?, ?, 'Bash', ?, ?, ?, ?, ?)`,
      turn.session,
      turn.turn,
      `${turn.turn}-${use}`,
      JSON.stringify({ command }),
      isError === 1 ? `Error: ${output}` : output,
      isError,
      isError,
      turn.at,
    );
    db.run(
      "INSERT INTO tool_uses_fts (rowid, scope, input, output) VALUES (?, ?, ?, ?)",
      id,
      scope,
      `Bash ${command}`,
      output,
    );
  }
}

export const rareWord = (): string => nthWord(Math.floor(VOCABULARY * (0.5 + random() / 2)));
export const someCommonWord = (): string => nthWord(Math.floor(1 + random() * 30));
export const someWord = (): string => nthWord(Math.floor(1 + random() * 1000));

const DIMENSIONS = 384;

/** Stores random vectors, assigned to the turns in rotation. Their values do not affect how long a scan takes. */
export function fillVectors(db: Db, count: number, modelName: string): EmbeddingModel {
  const turns = db.all<{ id: number; session: number }>("SELECT id, session_db_id AS session FROM prompts");
  const model = transaction(db, () => setWantedModel(db, modelName, DIMENSIONS, Date.now()));
  const size = recordBytes(DIMENSIONS);
  const scale = new Uint8Array(Float32Array.of(0.05 / 127).buffer);
  for (let number = 0; number * VECTORS_PER_CHUNK < count; number++) {
    const rows = Math.min(VECTORS_PER_CHUNK, count - number * VECTORS_PER_CHUNK);
    const records = randomFillSync(new Uint8Array(rows * size));
    const owners = new Int32Array(rows);
    transaction(db, () => {
      for (let row = 0; row < rows; row++) {
        const place = number * VECTORS_PER_CHUNK + row;
        const turn = turns[place % turns.length];
        records.set(scale, row * size + size - 4);
        owners[row] = turn?.session ?? 0;
        db.run(
          "INSERT INTO vectors (model_id, place, kind, item_id) VALUES (?, ?, 'turn', ?)",
          model.id,
          place,
          turn?.id ?? 0,
        );
      }
      db.run(
        "INSERT INTO vector_chunks (model_id, number, revision, owners, records) VALUES (?, ?, 1, ?, ?)",
        model.id,
        number,
        new Uint8Array(owners.buffer),
        records,
      );
      db.run(
        "INSERT INTO vector_codes (model_id, number, revision, codes) VALUES (?, ?, 1, ?)",
        model.id,
        number,
        codesOf(records, DIMENSIONS),
      );
    });
  }
  db.run("DELETE FROM stale_vectors");
  return model;
}

export function randomVector(): Float32Array {
  const bytes = randomFillSync(new Int8Array(DIMENSIONS));
  return Float32Array.from(bytes, (value) => value / 1_000);
}
