import { describe, expect, it } from "vitest";
import { type Ask, createHooks } from "./opencode-plugin.ts";

/** What the plugin asked, in order, and hooks that answer with what `answers` holds for a command. */
function connect(answers: Record<string, string> = {}) {
  const asked: [string, Record<string, unknown>][] = [];
  const ask: Ask = (command, payload) => {
    asked.push([command, payload as Record<string, unknown>]);
    return Promise.resolve(answers[command]);
  };
  return { asked, hooks: createHooks("/app", ask) };
}

const message = (text = "Fix it") => ({ message: { id: "msg_1" }, parts: [{ id: "prt_1", type: "text", text }] });

describe("the plugin", () => {
  it("asks once for what a session begins with, and tells it with every request", async () => {
    const { asked, hooks } = connect({ context: "Memory." });
    await hooks.event({ event: { type: "session.created", properties: { sessionID: "s", info: { id: "s" } } } });
    await hooks["chat.message"]({ sessionID: "s" }, message());
    await hooks["chat.message"]({ sessionID: "s" }, message("Again"));
    expect(asked.map(([command]) => command)).toEqual(["context", "new", "new"]);
    expect(asked[0]?.[1]).toMatchObject({ sessionID: "s", directory: "/app", source: "startup" });
    for (const _ of [1, 2]) {
      const output = { system: ["Theirs."] };
      await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, output);
      expect(output.system).toEqual(["Theirs.", "Memory."]);
    }
    const elsewhere = { system: [] };
    await hooks["experimental.chat.system.transform"]({}, elsewhere);
    expect(elsewhere.system).toEqual([]);
  });

  it("asks anew after compaction, and of a session it has not seen begin as one that goes on", async () => {
    const { asked, hooks } = connect();
    await hooks["chat.message"]({ sessionID: "s" }, message());
    await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s" } } });
    const starts = asked.filter(([command]) => command === "context");
    expect(starts.map(([, payload]) => payload["source"])).toEqual(["resume", "compact"]);
  });

  it("adds what memory says of a prompt as a part nobody typed, and nothing where it is silent", async () => {
    const told = message();
    await connect({ new: "Seen before." }).hooks["chat.message"]({ sessionID: "s" }, told);
    expect(told.parts).toEqual([
      { id: "prt_1", type: "text", text: "Fix it" },
      { id: "prt_1m", sessionID: "s", messageID: "msg_1", type: "text", synthetic: true, text: "Seen before." },
    ]);
    const quiet = message();
    await connect().hooks["chat.message"]({ sessionID: "s" }, quiet);
    expect(quiet.parts).toHaveLength(1);
  });

  it("looks a file up while the tool runs and tells it with the result; a fix only where the command failed", async () => {
    const { asked, hooks } = connect({ recall: "Last changed yesterday.", save: "This helped." });
    const bash = { tool: "bash", sessionID: "s", callID: "1" };
    const args = { command: "npm test" };
    await hooks["tool.execute.before"](bash, { args });
    const failed = { output: "no", metadata: { exit: 1 } };
    await hooks["tool.execute.after"]({ ...bash, args }, failed);
    expect(failed.output).toBe("no\n\nLast changed yesterday.\n\nThis helped.");
    const passed = { output: "yes", metadata: { exit: 0 } };
    await hooks["tool.execute.after"]({ ...bash, callID: "2", args }, passed);
    expect(passed.output).toBe("yes");
    expect(asked.map(([command]) => command)).toEqual(["recall", "save", "save"]);
    expect(asked[1]?.[1]).toMatchObject({ tool: "bash", callID: "1", args, output: "no", metadata: { exit: 1 } });
    await hooks["tool.execute.before"]({ ...bash, tool: "webfetch", callID: "3" }, { args: {} });
    expect(asked).toHaveLength(3);
  });

  it("knows whose subagent a session is", async () => {
    const { asked, hooks } = connect();
    for (const [id, parentID] of [
      ["child", "s"],
      ["grandchild", "child"],
    ] as const) {
      await hooks.event({ event: { type: "session.created", properties: { info: { id, parentID } } } });
    }
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: "grandchild" } } });
    expect(asked).toEqual([["summary", expect.objectContaining({ sessionID: "grandchild", rootID: "s" })]]);
  });

  it("lets OpenCode leave only when everything is written", async () => {
    let finish = (): void => {};
    const slow: Ask = () => new Promise((done) => (finish = () => done(undefined)));
    const hooks = createHooks("/app", slow);
    void hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } });
    let isGone = false;
    const gone = hooks.dispose().then(() => (isGone = true));
    await Promise.resolve();
    expect(isGone).toBe(false);
    finish();
    await gone;
    expect(isGone).toBe(true);
  });
});
