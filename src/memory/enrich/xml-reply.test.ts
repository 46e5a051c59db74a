import { describe, expect, it } from "vitest";
import { parseXmlReply } from "./xml-reply.ts";

describe("a reply in XML", () => {
  it("can have a text instead of title and narrative", () => {
    const reply = `I noticed something.
\`\`\`xml
<observation>
  <type>feature</type>
  <text>Implemented JWT refresh with 7-day expiry. It rotates.</text>
</observation>
\`\`\`
<summary>
  <request>Implement JWT</request>
  <investigated>Existing middleware</investigated>
  <learned>No JWT support; A & B < C</learned>
  <completed>Token + refresh flow</completed>
  <next_steps>Add revocation</next_steps>
  <files_read><file>src/auth.ts</file></files_read>
  <files_edited></files_edited>
  <notes>Secret in .env</notes>
</summary>`;
    expect(parseXmlReply(reply)).toEqual({
      observations: [
        {
          type: "feature",
          title: "Implemented JWT refresh with 7-day expiry.",
          subtitle: "",
          narrative: "Implemented JWT refresh with 7-day expiry. It rotates.",
          facts: [],
          concepts: [],
          files: [],
          evidence: [],
        },
      ],
      summary: {
        request: "Implement JWT",
        investigated: "Existing middleware",
        learned: "No JWT support; A & B < C",
        completed: "Token + refresh flow",
        next_steps: "Add revocation",
        notes: "Secret in .env",
        evidence: [],
      },
    });
  });

  it("can have all fields, and text that looks like tags", () => {
    const reply = `<observation id="1"><type> Bugfix </type><title>Array&lt;T&gt; &amp;amp; if (a < b)</title>
<narrative>Uses <div> and x<y.</narrative><facts><fact>one</fact><fact>two</fact></facts>
<concepts><concept>gotcha</concept></concepts><files><file>a.ts</file></files><evidence>t12, m3 and p1</evidence></observation>`;
    expect(parseXmlReply(reply)).toEqual({
      observations: [
        {
          type: "bugfix",
          title: "Array<T> &amp; if (a < b)",
          subtitle: "",
          narrative: "Uses <div> and x<y.",
          facts: ["one", "two"],
          concepts: ["gotcha"],
          files: ["a.ts"],
          evidence: ["t12", "m3", "p1"],
        },
      ],
      summary: undefined,
    });
  });

  it("is read quickly even if long and broken", () => {
    const start = process.cpuUsage();
    expect(parseXmlReply("<observation>".repeat(300_000))).toBeUndefined();
    expect(parseXmlReply(`${"<observation ".repeat(300_000)}<summary>`)).toBeUndefined();
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2_000);
  });

  it.each(["", "no tags", "<observation>left open", "{}", "<summary"])("is not found in %j", (text) => {
    expect(parseXmlReply(text)).toBeUndefined();
  });
});
