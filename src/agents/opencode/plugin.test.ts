import { describe, expect, it } from "vitest";
import { type Ask, createHooks } from "./plugin.ts";

/** The plugin's hooks, and its calls in order. `answers`: by hook command. */
function connect(answers: Record<string, string> = {}) {
  const calls: [string, Record<string, unknown>][] = [];
  const ask: Ask = (command, payload) => {
    calls.push([command, payload as Record<string, unknown>]);
    return Promise.resolve(answers[command]);
  };
  return { calls, hooks: createHooks("/app", ask) };
}

const message = (text = "Fix it") => ({ message: { id: "msg_1" }, parts: [{ id: "prt_1", type: "text", text }] });

describe("the plugin", () => {
  it("asks once for the session-start context and injects it into every request", async () => {
    const { calls, hooks } = connect({ context: "Memory." });
    await hooks.event({ event: { type: "session.created", properties: { sessionID: "s", info: { id: "s" } } } });
    await hooks["chat.message"]({ sessionID: "s" }, message());
    await hooks["chat.message"]({ sessionID: "s" }, message("Again"));
    expect(calls.map(([command]) => command)).toEqual(["context", "new", "new"]);
    expect(calls[0]?.[1]).toMatchObject({ sessionID: "s", directory: "/app", source: "startup" });
    for (const _ of [1, 2]) {
      const output = { system: ["Theirs."] };
      await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, output);
      expect(output.system).toEqual(["Theirs.", "Memory."]);
    }
    const other = { system: [] };
    await hooks["experimental.chat.system.transform"]({}, other);
    expect(other.system).toEqual([]);
  });

  it("asks again after compaction, and resumes a session that it did not see start", async () => {
    const { calls, hooks } = connect();
    await hooks["chat.message"]({ sessionID: "s" }, message());
    await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "s" } } });
    const starts = calls.filter(([command]) => command === "context");
    expect(starts.map(([, payload]) => payload["source"])).toEqual(["resume", "compact"]);
  });

  it("injects context for a prompt as a synthetic part, if there is any", async () => {
    const known = message();
    await connect({ new: "Seen before." }).hooks["chat.message"]({ sessionID: "s" }, known);
    expect(known.parts).toEqual([
      { id: "prt_1", type: "text", text: "Fix it" },
      { id: "prt_1m", sessionID: "s", messageID: "msg_1", type: "text", synthetic: true, text: "Seen before." },
    ]);
    const unknown = message();
    await connect().hooks["chat.message"]({ sessionID: "s" }, unknown);
    expect(unknown.parts).toHaveLength(1);
  });

  it("looks up while the tool runs and injects into its result; a fix only after a failure", async () => {
    const { calls, hooks } = connect({ recall: "Last changed yesterday.", save: "This helped." });
    const bash = { tool: "bash", sessionID: "s", callID: "1" };
    const args = { command: "npm test" };
    await hooks["tool.execute.before"](bash, { args });
    const failed = { output: "no", metadata: { exit: 1 } };
    await hooks["tool.execute.after"]({ ...bash, args }, failed);
    expect(failed.output).toBe("no\n\nLast changed yesterday.\n\nThis helped.");
    const passed = { output: "yes", metadata: { exit: 0 } };
    await hooks["tool.execute.after"]({ ...bash, callID: "2", args }, passed);
    expect(passed.output).toBe("yes");
    expect(calls.map(([command]) => command)).toEqual(["recall", "save", "save"]);
    expect(calls[1]?.[1]).toMatchObject({ tool: "bash", callID: "1", args, output: "no", metadata: { exit: 1 } });
    await hooks["tool.execute.before"]({ ...bash, tool: "webfetch", callID: "3" }, { args: {} });
    expect(calls).toHaveLength(3);
  });

  it("sends the root session of a subagent", async () => {
    const { calls, hooks } = connect();
    for (const [id, parentID] of [
      ["child", "s"],
      ["grandchild", "child"],
    ] as const) {
      await hooks.event({ event: { type: "session.created", properties: { info: { id, parentID } } } });
    }
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: "grandchild" } } });
    expect(calls).toEqual([["summary", expect.objectContaining({ sessionID: "grandchild", rootID: "s" })]]);
  });

  it("waits for running hooks at dispose", async () => {
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
