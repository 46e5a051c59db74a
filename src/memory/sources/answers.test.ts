import { describe, expect, it } from "vitest";
import { turn, used } from "../../../test/evidence.ts";
import { userAnswers } from "./answers.ts";

const STORE = {
  question: "Which store should the todos use?",
  header: "Store",
  multiSelect: false,
  options: [
    { label: "SQLite (Recommended)", description: "One file, no server." },
    { label: "Postgres", description: "Needs a server." },
    { label: "You decide", description: "The agent picks." },
  ],
};
const EXPORT = {
  question: 'Which formats should "export" write?',
  header: "Formats",
  multiSelect: true,
  options: [{ label: "JSON", description: "" }, { label: "CSV, quoted" }],
};
const STORE_OPTIONS = [
  { label: "SQLite", description: "One file, no server." },
  { label: "Postgres", description: "Needs a server." },
  { label: "You decide", description: "The agent picks." },
];

const answer = (name: string, input: Record<string, unknown>, output: string) =>
  userAnswers(turn("add a store", used(name, input, { output })));

describe("userAnswers", () => {
  it("reads one record per question of Claude Code's dialog", () => {
    const output =
      'User has answered your questions: "Which store should the todos use?"="SQLite (Recommended)" user notes: keep it small, please, "Which formats should "export" write?"="JSON, CSV, quoted". You can now continue with the user\'s answers in mind.';
    expect(answer("AskUserQuestion", { questions: [STORE, EXPORT] }, output)).toEqual([
      {
        id: "t1",
        question: STORE.question,
        header: "Store",
        options: STORE_OPTIONS,
        choice: "SQLite",
        kind: "option",
        notes: "keep it small, please",
        isDecision: true,
      },
      {
        id: "t1",
        question: EXPORT.question,
        header: "Formats",
        options: [
          { label: "JSON", description: "" },
          { label: "CSV, quoted", description: "" },
        ],
        choice: "JSON, CSV, quoted",
        kind: "option",
        notes: "",
        isDecision: true,
      },
    ]);
  });

  it("reads the structured result, where the notes repeat what the user wrote", () => {
    const output = JSON.stringify({
      questions: [STORE],
      answers: { [STORE.question]: "a file per list for now" },
      annotations: { [STORE.question]: { notes: "a file per list for now" } },
    });
    expect(answer("AskUserQuestion", { questions: [STORE] }, output)).toMatchObject([
      { choice: "a file per list for now", kind: "text", notes: "" },
    ]);
  });

  it.each<[agent: string, name: string, input: Record<string, unknown>, output: string, choice: string, kind: string]>([
    [
      "Copilot CLI",
      "ask_user",
      { question: "Which store?", choices: ["SQLite (Recommended)", "Postgres"] },
      "User selected: SQLite (Recommended)",
      "SQLite",
      "option",
    ],
    [
      "Copilot CLI, in the user's words",
      "ask_user",
      { question: "Which store?", choices: ["SQLite", "Postgres"] },
      "User responded: SQLite, but one file per list",
      "SQLite, but one file per list",
      "text",
    ],
    [
      "Codex",
      "request_user_input",
      { questions: [{ id: "store", question: "Which store?", options: [{ label: "SQLite" }, { label: "Postgres" }] }] },
      '{"answers":{"store":{"answers":["Postgres"]}}}',
      "Postgres",
      "option",
    ],
    [
      "Gemini CLI",
      "ask_user",
      { questions: [{ question: "Which store?", options: [{ label: "SQLite" }] }] },
      '{"answers":{"0":"SQLite"}}',
      "SQLite",
      "option",
    ],
    [
      "OpenCode",
      "question",
      { questions: [{ question: "Which store?", options: [{ label: "SQLite" }] }] },
      'User has answered your questions: "Which store?"="SQLite". You can now continue with the user\'s answers in mind.',
      "SQLite",
      "option",
    ],
    [
      "any agent, delegated",
      "AskUserQuestion",
      { questions: [STORE] },
      `"${STORE.question}"="You decide"`,
      "You decide",
      "delegated",
    ],
  ])("reads %s", (_, name, input, output, choice, kind) => {
    expect(answer(name, input, output)).toMatchObject([{ choice, kind, notes: "" }]);
  });

  it.each<[question: string, choice: string, isDecision: boolean]>([
    ["Which store should the todos use?", "SQLite", true],
    ["Which store should the todos use?", "one file per list, without a server", true],
    ["Should the lock be dropped?", "Yes, drop the lock", true],
    ["Which store should the todos use?", "You decide", false],
    ["Which store should the todos use?", "what are the advantages of Postgres?", false],
    ["Which store should the todos use?", "hmm, this would depend on the size", false],
    ["More questions about the store, or move to the next area?", "Next area", false],
    ["Which areas do you want to discuss for the export?", "Formats", false],
    ["What would you like to do with this todo?", "Work on it now", false],
    ["This changes the page. How would you like to proceed?", "Skip design", false],
    ["Should I wait for the review or run it in the background?", "Wait for results", false],
    ["Would you like me to generate mockups?", "Yes, generate mockups", false],
  ])("knows whether the answer to %j, %j, is a decision: %s", (question, choice, isDecision) => {
    const labels = ["SQLite", "Yes, drop the lock", "Next area", "Formats", "Work on it now", "Skip design"];
    const options = [...labels, "Wait for results", "Yes, generate mockups"].map((label) => ({ label }));
    const output = JSON.stringify({ answers: { [question]: choice } });
    expect(answer("AskUserQuestion", { questions: [{ question, options }] }, output)).toMatchObject([{ isDecision }]);
  });

  it("gives nothing for questions without an answer", () => {
    const evidence = turn(
      "add a store",
      used("AskUserQuestion", { questions: [STORE] }, { output: "The user wants to clarify", isError: true }),
      used("AskUserQuestion", { questions: [STORE] }, { output: '{"answers":{}}' }),
      used("ask_user", { question: "Which store?" }, { output: "User skipped the question" }),
    );
    expect(userAnswers(evidence)).toEqual([]);
  });
});
