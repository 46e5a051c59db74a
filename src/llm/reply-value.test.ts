import { describe, expect, it } from "vitest";
import { replyValue } from "./reply-value.ts";

describe("the JSON in a model's reply", () => {
  it.each([
    ["alone", '{"a": 1}'],
    ["in a fence", 'Here {it} is:\n```json\n{"a": 1}\n```\nDone {so}.'],
    ["in an indented fence", 'Here {it} is:\n  ```\n  {"a": 1}\n  ```\nDone {so}.'],
    ["after thinking aloud", '<think>{"b": 2}</think>\n{"a": 1}'],
    ["between words", 'It is {"a": 1}, I think.'],
  ])("is found %s", (_, text) => {
    expect(replyValue(text)).toEqual({ a: 1 });
  });

  it.each([
    ["line ends", `x\n\`\`\`\n${"\n".repeat(1_000_000)}{`],
    ["fences that never end", "x```\n".repeat(300_000)],
  ])("is found quickly in megabytes of %s", (_, text) => {
    const { user } = process.cpuUsage();
    expect(replyValue(text)).toBeUndefined();
    expect(process.cpuUsage().user - user).toBeLessThan(2_000_000);
  });
});
