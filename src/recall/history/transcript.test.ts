import { describe, expect, it } from "vitest";
import { bash, ended, prompt, said, seedStore, START, touch } from "../../../test/seed.ts";
import { deriveSession } from "../../memory/derive.ts";
import { remember } from "../../memory/user-edits.ts";
import type { Db } from "../../store/db/driver.ts";
import { sessionsByPrefix, type SessionEntry } from "../../store/reads/session-list.ts";
import { toHtml } from "./export-html.ts";
import { toMarkdown } from "./export-markdown.ts";
import { findSessionByWords, resolveSession } from "../search/find-session.ts";
import { type Item, onlyTurn, readAround, readTranscript } from "./transcript.ts";

const session = (db: Db, id: string): SessionEntry => sessionsByPrefix(db, id)[0] as SessionEntry;

function outline(items: readonly Item[]): string[] {
  return items.map((item) => {
    switch (item.kind) {
      case "message":
        return `${item.id ?? "response"} ${item.text}`;
      case "tool":
        return `${item.id} ${item.name} ${item.subject} ${item.outcome}`.trim();
      case "subagent":
        return `${item.session.session_id} [${outline(item.items).join("; ")}]`;
    }
  });
}

function history() {
  const seeded = seedStore();
  const { add } = seeded;
  add("one", prompt("Fix the login"));
  add("one", said("u1", "I will look.", "Where is it?"));
  add("one", bash("cd /app && npm test", "Exit code 1\nboom", 1));
  add("one", touch("src/a.ts"), { agentId: "x", agentType: "Explore" });
  add("one", said("u2", "Done:\nit works."));
  add("one", ended("Done:  it works."));
  add("one", prompt("Thanks"));
  add("one", touch("src/b.ts", "create"));
  add("one", bash('git commit -m "x"', "[main 1a2b3c4] Add b"));
  add("one", ended("Welcome."));
  return seeded;
}

describe("a transcript", () => {
  it("lists turns in order, subagents in their turn, and the response unless a message contains it", () => {
    const { db } = history();
    const { turns } = readTranscript(db, session(db, "one"));
    expect(
      turns.map((turn) => [
        turn.number,
        turn.prompt?.text,
        outline(turn.items),
        turn.commits.map((commit) => commit.sha),
      ]),
    ).toEqual([
      [
        1,
        "Fix the login",
        ["m1 I will look.", "t1 Bash npm test exit 1", "agent-x [t2 Edit src/a.ts +3 -1]", "m2 Done:\nit works."],
        [],
      ],
      [2, "Thanks", ["t3 Write src/b.ts new +3 -1", 't4 Bash git commit -m "x"', "response Welcome."], ["1a2b3c4"]],
    ]);
    db.close();
  });

  it("can be limited to a turn or to the neighbours of an item, also in a subagent", () => {
    const { db } = history();
    const whole = readTranscript(db, session(db, "one"));
    expect(onlyTurn(whole, 2).turns.map((turn) => turn.number)).toEqual([2]);
    expect(() => onlyTurn(whole, 3)).toThrow("no turn 3");
    const around = readAround(db, session(db, "one"), "t3");
    expect(around.turns.map((turn) => [turn.prompt?.text, outline(turn.items)])).toEqual([
      [undefined, ["m2 Done:\nit works."]],
      ["Thanks", ["t3 Write src/b.ts new +3 -1", 't4 Bash git commit -m "x"', "response Welcome."]],
    ]);
    expect(readAround(db, session(db, "one"), "t2").session.session_id).toBe("agent-x");
    expect(() => readAround(db, session(db, "one"), "t99")).toThrow("no item t99");
    expect(() => readAround(db, session(db, "agent-x"), "t1")).toThrow("no item t1");
    db.close();
  });
});

describe("a session", () => {
  it("is found by id, by the beginning of its id, by 'last', by an item, or by words", () => {
    const { db, add } = history();
    add("other-1", prompt("Write the 100% docs"));
    add("other-2", prompt("Deploy it"));
    const found = (text: string, words = true): string =>
      resolveSession(db, text, () => ({}), { words }).session.session_id;
    expect(found("one")).toBe("one");
    expect(found("on")).toBe("one");
    expect(found("last")).toBe("other-2");
    expect(found("t2")).toBe("agent-x");
    expect(found("docs WRITE")).toBe("other-1");
    expect(found("100%")).toBe("other-1");
    expect(() => found("docs", false)).toThrow('No session has an id that begins with "docs"');
    expect(() => found("other")).toThrow(/More than one.*\n.*other-2 {2}Deploy it\n.*other-1/);
    expect(() => found(" ")).toThrow("empty");
    for (const text of ["101%", "'", '"', "\0", "x".repeat(100_000), "zzz \0 qqq"]) {
      expect(() => found(text)).toThrow(/No session|empty/);
    }
    expect(findSessionByWords(db, "\0 ", {})).toBeUndefined();
    db.close();
  });
});

describe("an observation", () => {
  it("resolves to its turn, if it has one", () => {
    const { db } = history();
    const one = session(db, "one").id;
    deriveSession(db, one, START);
    const row = db.get<{ id: number; turn: number }>(
      "SELECT id, prompt_number AS turn FROM observations WHERE session_db_id = ?",
      one,
    );
    const found = (text: string) => resolveSession(db, text, () => ({}), { words: true });
    expect(found(`o${row?.id}`)).toMatchObject({ session: { session_id: "one" }, promptNumber: row?.turn });
    const lists = { facts: [], concepts: [], files: [], evidence: [] };
    const own = remember(
      db,
      undefined,
      { type: "decision", title: "x", narrative: "x", ...lists, origin: "user" },
      START,
    );
    expect(() => found(`o${own.id}`)).toThrow("has no session");
    expect(() => found("o99999")).toThrow("There is no observation o99999");
    db.close();
  });
});

describe("an exported transcript", () => {
  it("in Markdown has the messages and one line per tool use", () => {
    const { db } = history();
    const text = toMarkdown(readTranscript(db, session(db, "one")), { tools: false, thinking: true });
    expect(text).toContain("# Fix the login\n");
    expect(text).toContain(
      "> Fix the login\n\n*Thinking*\n\n> Where is it?\n\nI will look.\n\n- Bash `npm test` → exit 1\n",
    );
    expect(text).toContain("- subagent `agent-x` Explore\n  - Edit `src/a.ts` → +3 -1\n");
    db.close();
  });

  it("in HTML escapes all recorded text", () => {
    const { db, add } = seedStore();
    const evil = `<script>alert(1)</script><img src=x onerror="x"> & 'q' **b** \`c\`\n\`\`\`html\n<b>code</b>\n`;
    add("s", prompt(evil));
    add("s", said("u", evil, evil));
    add("s", bash(evil, evil, 1), { agentId: "sub", agentType: evil });
    add("s", ended(evil), { agentId: "sub" });
    const html = toHtml(readTranscript(db, session(db, "s")), { tools: true, thinking: true });
    expect(html).not.toMatch(/<script|<img|<b>code/);
    expect(html).toContain("<pre>&lt;b&gt;code&lt;/b&gt;</pre>");
    expect(html).toContain("<strong>b</strong> <code>c</code>");
    db.close();
  });
});
