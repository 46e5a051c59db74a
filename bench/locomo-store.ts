// Stores LoCoMo's conversations: each is a project, each utterance a turn. C_MEM_LOCOMO names the file.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyEvent } from "../src/capture/live/apply.ts";
import type { Db } from "../src/store/db/driver.ts";
import { openStore, relaxDurability } from "../src/store/db/open.ts";
import { updateSearchIndex } from "../src/store/fts/search-index.ts";
import { transaction } from "../src/store/db/transaction.ts";

interface Utterance {
  speaker: string;
  dia_id: string;
  text: string;
  blip_caption?: string;
}

interface Sample {
  sample_id: string;
  conversation: Record<string, unknown>;
  qa: { question: string; evidence?: string[]; category: number }[];
}

export interface Question {
  project: number;
  text: string;
  category: number;
  /** The turns with the answer: "session/prompt number", with the database id of the session. */
  turns: string[];
  sessions: number[];
}

export interface LocomoStore {
  db: Db;
  home: string;
  questions: Question[];
  close(): void;
}

const MINUTE_MS = 60_000;

export function openLocomo(): LocomoStore | undefined {
  const path = process.env["C_MEM_LOCOMO"] ?? "none";
  if (!existsSync(path)) return undefined;
  const home = mkdtempSync(join(tmpdir(), "c-mem-locomo-"));
  const db = openStore(join(home, "c-mem.db"));
  relaxDurability(db);
  const samples = JSON.parse(readFileSync(path, "utf8")) as Sample[];
  const questions = samples.flatMap((sample) => addSample(db, sample));
  db.run("UPDATE sessions SET status = 'completed'");
  updateSearchIndex(db);
  return {
    db,
    home,
    questions,
    close() {
      db.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function addSample(db: Db, { sample_id: name, conversation, qa }: Sample): Question[] {
  /** Turns by LoCoMo's names for them, such as "D3:12". */
  const turns = new Map<string, { sessionId: string; number: number }>();
  transaction(db, () => {
    for (let number = 1; Array.isArray(conversation[`session_${number}`]); number++) {
      const sessionId = `${name}-${number}`;
      const start = timeOf(String(conversation[`session_${number}_date_time`]));
      for (const [index, utterance] of (conversation[`session_${number}`] as Utterance[]).entries()) {
        turns.set(utterance.dia_id, { sessionId, number: index + 1 });
        const event = {
          agent: "claude-code" as const,
          sessionId,
          cwd: `/${name}`,
          project: { key: name, name, root: `/${name}` },
          at: start + index * MINUTE_MS,
        };
        applyEvent(
          db,
          { ...event, activity: { kind: "prompt", text: textOf(utterance) } },
          `${name} ${utterance.dia_id}`,
        );
      }
    }
  });
  const rows = db.all<{ id: number; session_id: string; project_id: number }>(
    "SELECT id, session_id, project_id FROM sessions",
  );
  const sessions = new Map(rows.map((row) => [row.session_id, row]));
  const project = sessions.get(`${name}-1`)?.project_id ?? 0;
  return qa.flatMap(({ question, evidence = [], category }) => {
    // Some entries name several turns in one text.
    const named = evidence.flatMap((text) => text.match(/D\d+:\d+/g) ?? []).map((id) => turns.get(id));
    const places = named.flatMap((turn) =>
      turn === undefined ? [] : [{ session: sessions.get(turn.sessionId)?.id ?? 0, number: turn.number }],
    );
    if (places.length === 0) return [];
    return [
      {
        project,
        text: question,
        category,
        turns: [...new Set(places.map(({ session, number }) => `${session}/${number}`))],
        sessions: [...new Set(places.map(({ session }) => session))],
      },
    ];
  });
}

/** Speaker, text, and the caption of a picture. */
function textOf({ speaker, text, blip_caption: picture }: Utterance): string {
  return `${speaker}: ${text}${picture === undefined ? "" : `\n[${picture}]`}`;
}

/** "1:56 pm on 8 May, 2023". */
function timeOf(text: string): number {
  const [clock = "", day = ""] = text.split(" on ");
  return Date.parse(`${day} ${clock} UTC`) || 0;
}
