// What a session names and makes, each with the time of it: the part of its links that needs no other session.
import type { Db } from "../../store/db/driver.ts";
import { commitsToLink, forgeOutputs, type LinkedSession, promptTexts } from "../../store/reads/link-evidence.ts";
import type { Target } from "../../store/tables/links.ts";
import { commitId, issueOfUrl, pointersOf, repositoryOf } from "./pointers.ts";
import { termsOf } from "./terms.ts";

const MAX_PROMPTS = 100;
const MAX_OUTPUTS = 20;
const MAX_NAMED = 300;

interface Named {
  target: Target;
  /** What it made itself is "references", what its prompts name "mentions". */
  relationship: "references" | "mentions";
  at: number;
}

export interface SaidBySession {
  named: Named[];
  branches: ReadonlySet<string>;
  transcripts: string[];
  sessionIds: string[];
}

export function readSession(db: Db, session: LinkedSession): SaidBySession {
  const prompts = promptTexts(db, session.id, MAX_PROMPTS);
  const repository = repositoryOf(session.remote);
  const pointers = prompts.map(({ text, at }) => ({ ...pointersOf(text, repository), at }));
  const { terms, prompt } = termsOf(prompts);
  const commits = commitsToLink(db, session.id);
  const named: Named[] = [];
  const name = (relationship: Named["relationship"], type: Target["type"], id: string | null, at: number): void => {
    if (id !== null && id !== "") named.push({ target: { type, id }, relationship, at });
  };
  for (const { sha, at } of commits) name("references", "commit", commitId(sha), at);
  for (const { text, at } of forgeOutputs(db, session.id, MAX_OUTPUTS)) {
    for (const id of (text.match(/https?:\/\/\S+/g) ?? []).flatMap(issueOfUrl)) name("references", "issue", id, at);
  }
  name("references", "branch", session.git_branch, session.started_at);
  for (const { branch, at } of commits) name("references", "branch", branch, at);
  name("references", "plan", session.plan, session.started_at);
  for (const { targets, at } of pointers) for (const { type, id } of targets) name("mentions", type, id, at);
  for (const term of terms) name("mentions", "term", term, prompt?.at ?? session.started_at);
  return {
    named: firstOfEach(named).slice(0, MAX_NAMED),
    branches: new Set(named.filter(({ target }) => target.type === "branch").map(({ target }) => target.id)),
    transcripts: pointers.flatMap((one) => one.transcripts),
    sessionIds: pointers.flatMap((one) => one.sessionIds),
  };
}

function firstOfEach(named: readonly Named[]): Named[] {
  const first = new Map<string, Named>();
  for (const one of named) {
    const key = `${one.relationship} ${one.target.type} ${one.target.id}`;
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()];
}
