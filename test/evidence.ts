// Builds the evidence of a turn, for tests that derive memory from it.
import type { FileTouch } from "../src/core/event.ts";
import type { EvidenceMessage, EvidenceToolUse, TurnEvidence } from "../src/store/reads/turn-evidence.ts";

type Step =
  | { kind: "said"; message: Omit<EvidenceMessage, "id" | "at"> }
  | { kind: "used"; use: Omit<EvidenceToolUse, "id" | "at"> }
  | { kind: "committed"; sha: string; subject: string };

const START = Date.UTC(2026, 0, 5, 9);

/** The steps happen in this order, one second apart. */
export function turn(prompt: string, ...steps: Step[]): TurnEvidence {
  const evidence: TurnEvidence = {
    projectId: 1,
    project: "app",
    root: "/app",
    cwd: "/app",
    prompt: {
      id: "p1",
      number: 1,
      text: prompt,
      response: "",
      at: START,
      endedAt: null,
      state: "completed",
      hasCheckpoint: false,
    },
    messages: [],
    toolUses: [],
    commits: [],
    earlierTaskUses: [],
  };
  for (const [index, step] of steps.entries()) {
    const at = START + (index + 1) * 1_000;
    if (step.kind === "said") evidence.messages.push({ ...step.message, id: `m${evidence.messages.length + 1}`, at });
    else if (step.kind === "used") evidence.toolUses.push({ ...step.use, id: `t${evidence.toolUses.length + 1}`, at });
    else evidence.commits.push({ sha: step.sha, subject: step.subject });
  }
  return evidence;
}

export function said(text: string, extra: Partial<EvidenceMessage> = {}): Step {
  return { kind: "said", message: { role: "assistant", text, isSubagent: false, ...extra } };
}

export function used(name: string, input: Record<string, unknown>, extra: Partial<EvidenceToolUse> = {}): Step {
  return {
    kind: "used",
    use: {
      name,
      input,
      output: "",
      isError: false,
      exitCode: null,
      isSubagent: false,
      files: [],
      ...extra,
    },
  };
}

export function ran(command: string, output = "", exitCode = 0): Step {
  return used("Bash", { command }, { output, exitCode, isError: exitCode !== 0 });
}

export function edited(path: string, before = "a", after = "b", extra: Partial<FileTouch> = {}): Step {
  const files: FileTouch[] = [
    { path, kind: "edit", added: after.split("\n").length, removed: before.split("\n").length, ...extra },
  ];
  return used("Edit", { file_path: `/app/${path}`, old_string: before, new_string: after }, { files });
}

export function committed(sha: string, subject: string): Step {
  return { kind: "committed", sha, subject };
}
