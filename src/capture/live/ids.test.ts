import { describe, expect, it, test } from "vitest";
import type { AgentEvent } from "../../core/event.ts";
import { admitIds, storedId, storedName } from "./ids.ts";

const SECRET = `gh${"p"}_h7Kq2Vw9Xb4Nc8Zt3Ry6Mf5Lp1Gj0DsaT7uE`;

test.each([
  "278aff59-00c3-413b-a3e9-b23847536d45",
  "019ed9f4-6510-7fc0-8643-6d434f193bd0",
  "agent-a12b34c5",
  "toolu_01A09q90qw90lq917835lq9",
  "toolu_vrtx_01Bx8z3Yq7Wn5Kt2Rf6Hd9Lm",
  "call_x9Kq2Vw7Xb4Nc8Zt3Ry6Mf5L",
  "call_00_kQ2Vw7Xb4Nc8Zt3Ry6Mf5L__thought__CiQB4/KWX+abc=",
  "functions.run_terminal_cmd:3",
  "ses_5a3f9c1b7e04ffe2d8Zt3Ry6Mf5Lp1",
  "msg_01XFDUDYJgAACzvnptvVoYEL",
  "prt_5a3f9c1b7e04",
  "session-2026-01-01T10-00-278aff59",
  "import:42",
  "tool_0_read_file-1767225600000-a1b2c3",
  "1",
])("the id %s is stored unchanged", (id) => {
  expect(storedId(id)).toBe(id);
});

test.each([
  "claude-opus-4-1-20250805",
  "us.anthropic.claude-sonnet-4-20250514-v1:0",
  "claude-opus-4-1[1m]",
  "GPT-5 (high)",
  "openrouter/qwen3:free",
  "<synthetic>",
])("the model name %s is stored unchanged", (model) => {
  expect(storedName(model)).toBe(model);
});

describe("an invalid id", () => {
  test.each([
    ["a secret", SECRET],
    ["a secret within", `session-${SECRET}`],
    ["a labelled secret", "password=hunter2hunter2"],
    ["several lines", "a\nb"],
    ["an escape sequence", "a\x1b[31m"],
    ["markup", "<private>x</private>"],
    ["letters of other scripts", "日本語"],
    ["very long", "a".repeat(100_000)],
  ])("%s becomes a hash, always the same", (_, id) => {
    expect(storedId(id)).toMatch(/^id-[0-9a-f]{32}$/);
    expect(storedId(id)).toBe(storedId(id));
    expect(storedId(storedId(id))).toBe(storedId(id));
    expect(storedId(`${id}x`)).not.toBe(storedId(id));
  });
});

it("admits every id and name of an event, and changes nothing else", () => {
  const event: AgentEvent = {
    agent: `other ${SECRET}`,
    sessionId: SECRET,
    agentId: SECRET,
    version: SECRET,
    cwd: "/srv",
    copiedFrom: SECRET,
    at: 1,
    activity: {
      kind: "message",
      uuid: SECRET,
      parentUuid: SECRET,
      promptId: SECRET,
      role: "assistant",
      text: "a b",
      model: SECRET,
    },
  };
  const hash = storedId(SECRET);
  expect(admitIds(event)).toEqual({
    agent: storedId(`other ${SECRET}`),
    sessionId: hash,
    agentId: hash,
    version: hash,
    cwd: "/srv",
    copiedFrom: hash,
    at: 1,
    activity: {
      kind: "message",
      uuid: hash,
      parentUuid: hash,
      promptId: hash,
      role: "assistant",
      text: "a b",
      model: hash,
    },
  });
});
