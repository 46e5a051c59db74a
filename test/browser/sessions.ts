// Writes one made-up session, and up to 12 recorded sessions from the folder in $C_MEM_REAL_SESSIONS.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { World } from "../e2e/harness.ts";
import { writeTranscript } from "./transcripts.ts";

const MAX_RECORDED = 12;

export function writeSessions({ claudeDir, project }: World): void {
  const data = process.env["C_MEM_REAL_SESSIONS"] ?? "";
  const manifest = join(data, "manifest.jsonl");
  if (data !== "" && existsSync(manifest)) {
    const entries = readFileSync(manifest, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Entry);
    for (const { file, repo, session_id: id } of entries
      .filter(({ agent }) => agent === "Claude Code")
      .slice(0, MAX_RECORDED)) {
      const path = join(claudeDir, "projects", repo.replaceAll("/", "-"), `${id}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, gunzipSync(readFileSync(join(data, `${file}.gz`))));
    }
  }
  writeTranscript(claudeDir, { id: "made-up", cwd: project, start: Date.now() - 7_200_000 }, (writer) => {
    writer.prompt("The login fails with a zebracorn error, please find out why");
    writer.say("I look at the session code first.", "Where could the zebracorn come from?");
    writer.use("Bash", { command: "npm test" }, "Error: zebracorn at login.ts:12", true);
    writer.use(
      "Edit",
      { file_path: `${project}/login.ts`, old_string: "expires = 0", new_string: "expires = now + week" },
      "updated",
    );
    writer.use("Bash", { command: "npm test" }, "12 passed");
    writer.say(
      "The zebracorn error came from cookies that expired at once.\n\n| before | after |\n|---|---|\n| `0` | a week |",
    );
    writer.prompt("We use weeks, never days, for expiry from now on");
    writer.say("Understood: weeks it is.");
  });
}

interface Entry {
  file: string;
  repo: string;
  agent: string;
  session_id: string;
}
