// The sessions that are searched, in worlds: each repository and each conversation is searched on its own.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layOutSessions, readQueries } from "../real-sessions.ts";
import { type Turn, turnsOf } from "./turns.ts";

export interface Session {
  id: string;
  /** Short, so that a tool that shows only titles can show it: "s0012". */
  tag: string;
  startedAt: number;
  turns: Turn[];
  /** Everything in it, to find the session of a text. */
  said: string;
}

export interface Query {
  task: string;
  text: string;
  gold: string[];
  before?: number;
  exclude: string[];
}

export interface World {
  name: string;
  sessions: Session[];
  queries: Query[];
  /** The transcripts, in a home folder. */
  layOut(home: string): void;
}

/** The repositories whose sessions are Claude Code's: not all tools read those of other agents. */
const REPOS = ["PackmindHub/context-evaluator", "FSM1/cipher-box"];
const QUERIES_PER_TASK = 20;
const CONVERSATIONS = 3;

/** Without real sessions: none. The transcripts are read in a scratch folder. */
export function realWorlds(scratch: string): World[] {
  const all = readQueries();
  const chosen = new Set(
    [
      ...Map.groupBy(
        all.filter(({ repo }) => REPOS.includes(repo)),
        ({ task }) => task,
      ).values(),
    ].flatMap((queries) => spread(queries, QUERIES_PER_TASK)),
  );
  if (chosen.size === 0) return [];
  return REPOS.map((repo, index) => {
    const folder = join(scratch, `sessions-${index}`);
    layOutSessions(folder, repo);
    const sessions = readSessions(join(folder, ".claude", "projects"));
    const queries = [...chosen]
      .filter((query) => query.repo === repo)
      .map((query) => ({
        task: query.task,
        text: query.query,
        gold: query.gold,
        ...(query.before === undefined ? {} : { before: Date.parse(query.before) }),
        exclude: query.exclude ?? [],
      }));
    const layOut = (home: string): void => {
      layOutSessions(home, repo);
      setFileTimes(home, sessions);
    };
    return { name: repo, sessions, queries, layOut };
  });
}

/** Evenly over the list, so that no repository or session dominates. */
function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, (_, index) => list[Math.floor((index * list.length) / count)] as T);
}

function readSessions(projects: string): Session[] {
  return readdirSync(projects, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name, index) => {
      const parsed = turnsOf(readFileSync(join(projects, name), "utf8"));
      const id = name.split("/").at(-1)?.replace(".jsonl", "") ?? "";
      return { id, tag: tagOf(index), ...parsed };
    });
}

const tagOf = (index: number): string => `s${String(index).padStart(4, "0")}`;

interface Conversation {
  sample_id: string;
  conversation: Record<string, unknown>;
  qa: { question: string; evidence?: string[] }[];
}

/** The first conversations of LoCoMo. Each utterance is the prompt of a turn. */
export function locomoWorlds(): World[] {
  const path = process.env["C_MEM_LOCOMO"] ?? "none";
  if (!existsSync(path)) return [];
  const all = JSON.parse(readFileSync(path, "utf8")) as Conversation[];
  return all.slice(0, CONVERSATIONS).map(locomoWorld);
}

function locomoWorld({ sample_id: name, conversation, qa }: Conversation): World {
  const sessions: Session[] = [];
  for (let number = 1; Array.isArray(conversation[`session_${number}`]); number++) {
    const utterances = conversation[`session_${number}`] as { speaker: string; text: string; blip_caption?: string }[];
    const prompts = utterances.map(
      ({ speaker, text, blip_caption: picture }) =>
        `${speaker}: ${text}${picture === undefined ? "" : `\n[${picture}]`}`,
    );
    sessions.push({
      id: idOf(`${name}-${number}`),
      tag: tagOf(number),
      startedAt: timeOf(String(conversation[`session_${number}_date_time`])),
      turns: prompts.map((prompt) => ({ prompt, answer: "", files: [] })),
      said: prompts.join("\n"),
    });
  }
  const queries = qa.flatMap(({ question, evidence = [] }) => {
    const numbers = evidence.flatMap((entry) => [...entry.matchAll(/D(\d+):\d+/g)].map((match) => Number(match[1])));
    const gold = numbers.flatMap((number) => sessions[number - 1]?.id ?? []);
    return gold.length === 0 ? [] : [{ task: "locomo", text: question, gold: [...new Set(gold)], exclude: [] }];
  });
  const layOut = (home: string): void => {
    writeTranscripts(home, name, sessions);
    setFileTimes(home, sessions);
  };
  return { name, sessions, queries, layOut };
}

/** As on a user's machine, where the newest session has the newest file. */
function setFileTimes(home: string, sessions: readonly Session[]): void {
  const projects = join(home, ".claude", "projects");
  for (const name of readdirSync(projects, { recursive: true, encoding: "utf8" })) {
    const session = sessions.find(({ id }) => name.endsWith(`${id}.jsonl`));
    const seconds = (session?.startedAt ?? 0) / 1000;
    if (seconds > 0) utimesSync(join(projects, name), seconds, seconds);
  }
}

/** As Claude Code writes them: a line for each utterance. */
function writeTranscripts(home: string, name: string, sessions: readonly Session[]): void {
  const folder = join(home, ".claude", "projects", `-home-user-${name}`);
  mkdirSync(folder, { recursive: true });
  for (const { id, startedAt, turns } of sessions) {
    const lines = turns.map(({ prompt }, index) =>
      JSON.stringify({
        type: "user",
        uuid: idOf(`${id} ${index}`),
        parentUuid: index === 0 ? null : idOf(`${id} ${index - 1}`),
        sessionId: id,
        cwd: `/home/user/${name}`,
        version: "2.1.0",
        timestamp: new Date(startedAt + index * 60_000).toISOString(),
        message: { role: "user", content: prompt },
      }),
    );
    writeFileSync(join(folder, `${id}.jsonl`), `${lines.join("\n")}\n`);
  }
}

function idOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** "1:56 pm on 8 May, 2023". */
function timeOf(text: string): number {
  const [clock = "", day = ""] = text.split(" on ");
  return Date.parse(`${day} ${clock} UTC`) || 0;
}
