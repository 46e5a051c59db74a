import { describe, expect, it } from "vitest";
import { readCompactionSummary } from "./compaction-summary.ts";

const CLAUDE_CODE = `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.

Analysis:
Let me go through the conversation.
1. The user asked for retries.
Pending Tasks were discussed.

Summary:
1. Primary Request and Intent:
   The user wants uploads to survive a lost connection:
   - Retry three times
   - Keep the queue on disk

2. Key Technical Concepts:
   - **Backoff**: doubles from 200 ms
   - Queue file in \`data/queue.json\`

3. Files and Code Sections:

   - **\`src/upload.ts\`** (MODIFIED)
     - Retries on ECONNRESET
     \`\`\`ts
     // 7. Pending Tasks:
     await retry(send, 3);
     \`\`\`
   - \`src/queue.ts\` - Reads the queue at start

4. Errors and fixes:
   - **Uploads were sent twice**: the queue was read before the file was locked.
     - Fixed by locking first
   - **Test timed out**:
     - The fake clock never moved

5. Problem Solving:
   - Solved: the double upload

6. All user messages:
   - "retry the uploads"
   - "no, keep them on disk"

7. Pending Tasks:
   - Document the queue file
   - Delete the queue after logout

8. Current Work:
   I was writing \`docs/queue.md\`. The tests pass.

9. Optional Next Step:
   Finish \`docs/queue.md\`, then delete the queue after logout.

If you need specific details from before compaction (like exact code snippets), read the full transcript at: /home/user/x.jsonl
Please continue the conversation from where we left off without asking the user any further questions.`;

describe("readCompactionSummary", () => {
  it("reads the numbered sections of Claude Code", () => {
    expect(readCompactionSummary(CLAUDE_CODE)).toEqual({
      request: ["The user wants uploads to survive a lost connection", "Retry three times", "Keep the queue on disk"],
      concepts: ["Backoff: doubles from 200 ms", "Queue file in `data/queue.json`"],
      files: ["`src/upload.ts` (MODIFIED); Retries on ECONNRESET", "`src/queue.ts` - Reads the queue at start"],
      fixes: [
        "Uploads were sent twice: the queue was read before the file was locked. Fixed by locking first",
        "Test timed out: The fake clock never moved",
      ],
      userMessages: ['"retry the uploads"', '"no, keep them on disk"'],
      done: ["Solved: the double upload"],
      pending: ["Document the queue file", "Delete the queue after logout"],
      currentWork: ["I was writing `docs/queue.md`. The tests pass."],
      nextStep: ["Finish `docs/queue.md`, then delete the queue after logout."],
    });
  });

  it("reads the form with tags, and sections that say that nothing is open", () => {
    const text =
      "<analysis>\n1. Primary Request and Intent: not this\n</analysis>\n\n<summary>\n1. Primary Request and Intent:\n   Add a filter\n\n4. Errors and fixes:\n   - No errors encountered.\n\n7. Pending Tasks:\n   - None\n\n9. Optional Next Step:\n   No explicit next step.\n</summary>";
    expect(readCompactionSummary(text)).toMatchObject({
      request: ["Add a filter"],
      fixes: [],
      pending: [],
      nextStep: [],
    });
  });

  it.each([
    [
      "Gemini CLI",
      "<state_snapshot>\n<overall_goal>\nAdd a filter\n</overall_goal>\n<current_plan>\n1. [DONE] Parse the flag\n2. [TODO] Write the docs\n</current_plan>\n</state_snapshot>",
      { request: ["Add a filter"], pending: ["[DONE] Parse the flag", "[TODO] Write the docs"] },
    ],
    [
      "Copilot CLI",
      "<overview>\nAdd a filter to the list.\n</overview>\n<history>\n1. The user asked\n</history>\n<work_done>\n- Parsed the flag\n</work_done>\n<next_steps>\n- Write the docs\n</next_steps>",
      { request: ["Add a filter to the list."], done: ["Parsed the flag"], nextStep: ["Write the docs"] },
    ],
    [
      "OpenCode",
      "## Goal\n\nAdd a filter.\n\n## Instructions\n\n- Use no library\n\n## Discoveries\n\n- The list is sorted twice\n\n## Accomplished\n\n- Parsed the flag",
      { request: ["Add a filter."], concepts: ["The list is sorted twice"], done: ["Parsed the flag"] },
    ],
  ])("reads the sections of %s", (_, text, expected) => {
    expect(readCompactionSummary(text)).toMatchObject(expected);
  });

  it("does not read other text", () => {
    expect(readCompactionSummary("The summary: everything is done.\n\n1. Push\n2. Wait")).toBeUndefined();
  });
});
