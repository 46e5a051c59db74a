// Collects the files, commits, issues, branches, plans and terms that a session made or mentions.
import type { Db } from "../../store/db/driver.ts";
import { pullRequestOutputs, type LinkedSession, promptTexts } from "../../store/reads/link-evidence.ts";
import { commitsOf } from "../../store/tables/commits.ts";
import type { Target } from "../../store/tables/links.ts";
import { commitId, issueOfUrl, promptReferences, repositoryOf } from "./prompt-references.ts";
import { sessionTerms } from "./terms.ts";

const MAX_PROMPTS = 100;
const MAX_OUTPUTS = 20;
const MAX_NAMED = 300;

interface NamedTarget {
  target: Target;
  /** "references": a commit, issue or branch of the session, or its plan. "mentions": its prompts name it. */
  relationship: "references" | "mentions";
  at: number;
}

export type SessionReferences = ReturnType<typeof readSession>;

export function readSession(db: Db, session: LinkedSession) {
  const { id: sessionDbId, started_at: start, git_branch, plan } = session;
  const prompts = promptTexts(db, sessionDbId, MAX_PROMPTS);
  const repository = repositoryOf(session.remote);
  const references = prompts.map(({ text, at }) => ({ ...promptReferences(text, repository), at }));
  const { terms, prompt } = sessionTerms(prompts);
  const commits = commitsOf(db, sessionDbId);
  const made = (type: Target["type"], id: string | null, at: number): NamedTarget[] =>
    id === null || id === "" ? [] : [{ target: { type, id }, relationship: "references", at }];
  const issues = pullRequestOutputs(db, sessionDbId, MAX_OUTPUTS).flatMap(({ text, at }) =>
    (text.match(/https?:\/\/\S+/g) ?? []).flatMap(issueOfUrl).map((id) => ({ id, at })),
  );
  const named: NamedTarget[] = [
    ...commits.flatMap(({ sha, created_at: at }) => made("commit", commitId(sha), at)),
    ...issues.flatMap(({ id, at }) => made("issue", id, at)),
    ...commits.flatMap(({ pull_request: number, created_at: at }) =>
      number === null || repository === undefined ? [] : made("issue", `${repository}#${number}`, at),
    ),
    ...made("branch", git_branch, start),
    ...commits.flatMap(({ branch, created_at: at }) => made("branch", branch, at)),
    ...made("plan", plan, start),
    ...references.flatMap(({ targets, at }) =>
      targets.map((target) => ({ target, relationship: "mentions" as const, at })),
    ),
    ...[...terms.keys()].map((id) => ({
      target: { type: "term" as const, id },
      relationship: "mentions" as const,
      at: prompt?.at ?? start,
    })),
  ];
  const same = Map.groupBy(named, ({ relationship, target }) => `${relationship} ${target.type} ${target.id}`);
  return {
    /** Each target once per relationship, with the time of its first occurrence. */
    named: [...same.values()].flatMap((all) => all.slice(0, 1)).slice(0, MAX_NAMED),
    branches: new Set(named.filter(({ target }) => target.type === "branch").map(({ target }) => target.id)),
    transcripts: references.flatMap((one) => one.transcripts),
    sessionIds: references.flatMap((one) => one.sessionIds),
  };
}
