// A small store with three sessions on different topics, for search tests.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyEvent } from "../src/capture/live/apply.ts";
import type { Activity } from "../src/core/event.ts";
import type { Db } from "../src/store/db/driver.ts";
import { openStore } from "../src/store/db/open.ts";

let at = 1_000;

export function addTo(db: Db, sessionId: string, activity: Activity): void {
  at += 60_000;
  const project = { key: "app", name: "app", root: "/app" };
  applyEvent(db, { agent: "claude-code", sessionId, cwd: "/app", at, activity, project }, `${at}`);
}

export function seededStore(): Db {
  const db = openStore(join(mkdtempSync(join(tmpdir(), "c-mem-search-")), "c-mem.db"));
  const add = (sessionId: string, activity: Activity) => addTo(db, sessionId, activity);
  add("invoice", { kind: "prompt", promptId: "i1", text: "Why do customers see a blank invoice?" });
  add("invoice", {
    kind: "tool-use",
    toolUseId: "t1",
    promptId: "i1",
    name: "Bash",
    input: { command: "pnpm run render" },
    output: "TypeError: formatter is not a function",
    isError: true,
    exitCode: 1,
    files: [],
  });
  add("invoice", {
    kind: "tool-use",
    toolUseId: "t2",
    promptId: "i1",
    name: "Edit",
    input: { file_path: "/app/src/billing/invoice-view.ts" },
    isError: false,
    files: [{ path: "src/billing/invoice-view.ts", kind: "edit", added: 1, removed: 1 }],
  });
  add("invoice", {
    kind: "message",
    uuid: "m1",
    promptId: "i1",
    role: "assistant",
    text: "The locale was never loaded; InvoiceView renders now.",
  });
  add("deploy", { kind: "prompt", promptId: "d1", text: "Make the deploy pipeline wait for the tests" });
  add("deploy", { kind: "turn-end", promptId: "d1", response: "It waits now." });
  add("cjk", { kind: "prompt", promptId: "c1", text: "請求書の表示を直して" });
  return db;
}
