// Writes transcripts in Claude Code's format: a very long one, and one full of hostile markup.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Writer {
  lines: string[];
  prompt(text: string): void;
  say(text: string, thinking?: string): void;
  use(name: string, input: object, output: string, isError?: boolean): void;
}

const STEP_MS = 4_000;

/** Writes a session's transcript into the agent's folder; `write` adds its prompts, answers and tool uses. */
export function writeTranscript(
  claudeDir: string,
  session: { id: string; cwd: string; start: number; branch?: string },
  write: (writer: Writer) => void,
): void {
  let at = session.start;
  let number = 0;
  const lines: string[] = [];
  const add = (value: object): void => {
    at += STEP_MS;
    number += 1;
    const common = {
      sessionId: session.id,
      cwd: session.cwd,
      version: "2.1.0",
      gitBranch: session.branch ?? "main",
      uuid: `${session.id}-${number}`,
      timestamp: new Date(at).toISOString(),
    };
    lines.push(JSON.stringify({ ...common, ...value }));
  };
  const assistant = (block: object): void => {
    const usage = { input_tokens: 3, output_tokens: 5 };
    const message = { id: `m${number}`, role: "assistant", model: "opus", content: [block], usage };
    add({ type: "assistant", message });
  };
  write({
    lines,
    prompt: (text) => add({ type: "user", promptId: `prompt-${number}`, message: { role: "user", content: text } }),
    say(text, thinking) {
      if (thinking !== undefined) assistant({ type: "thinking", thinking, signature: "x" });
      assistant({ type: "text", text });
    },
    use(name, input, output, isError = false) {
      const id = `${session.id}-use-${number}`;
      assistant({ type: "tool_use", id, name, input });
      const result = { type: "tool_result", tool_use_id: id, content: output, is_error: isError };
      add({ type: "user", message: { role: "user", content: [result] } });
    },
  });
  const path = join(claudeDir, "projects", "-browser", `${session.id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join("\n")}\n`);
}

/** Writes at least `minLines` lines: prompts, thinking, answers, commands and edits. */
export function writeLongSession(writer: Writer, minLines: number): void {
  const words = "The parser reads a line, keeps what it has not understood and goes on with the next one. ";
  for (let turn = 1; writer.lines.length < minLines; turn += 1) {
    writer.prompt(`Turn ${turn}: please repair part ${turn} of the parser.\n\n${words.repeat(turn % 4)}`);
    for (let step = 1; step <= 6; step += 1) {
      writer.say(`Step ${step}. ${words.repeat(1 + ((turn + step) % 7))}\n\n- first\n- second \`code\``, "What next?");
      writer.use("Bash", { command: `npm test -- part-${turn}-${step}` }, words.repeat(3), (turn + step) % 17 === 0);
      const file = `/work/parser/part-${turn}.ts`;
      writer.use(
        "Edit",
        {
          file_path: file,
          old_string: `const part = ${step};\nuse(part);`,
          new_string: `const part = ${step + 1};\nuse(part);`,
        },
        "The file has been updated.",
      );
    }
    writer.say(`Part ${turn} is repaired, and its tests pass. needle-${turn}-end`);
  }
}

/** Rendered as HTML, each would run a script, load something or break the page. */
export const HOSTILE_MARKUP = [
  `<script>window.hacked = "script"</script>`,
  `<img src=x onerror="window.hacked = 'img'">`,
  `<svg/onload="window.hacked='svg'">`,
  `"><iframe srcdoc="<script>parent.hacked='iframe'</script>"></iframe>`,
  `[click](javascript:window.hacked='link')`,
  `<a href="javascript:window.hacked='a'">a link</a>`,
  `![x](https://tracker.invalid/pixel.png)`,
  `<style>body{display:none}</style>`,
  `</pre></code></div><h1 id="main">broken out</h1>`,
  `<base href="https://evil.invalid/">`,
  `<form action="https://evil.invalid/"><input name="x"><button>Send</button></form>`,
  "`<b onmouseover=window.hacked='code'>`",
  `<math><mtext><table><mglyph><style><img src onerror=window.hacked='mutation'>`,
];

export function writeHostileSession(writer: Writer): void {
  for (const [index, markup] of HOSTILE_MARKUP.entries()) {
    writer.prompt(`Prompt ${index} ${markup}`);
    writer.say(`Answer ${index}: ${markup}\n\n${markup}\n\n\`\`\`html\n${markup}\n\`\`\``, `Thinking ${markup}`);
    writer.use("Bash", { command: `echo ${markup}`, description: markup }, `out ${markup}`, index % 3 === 0);
    writer.use(
      "Edit",
      { file_path: `/work/${markup}.ts`, old_string: markup, new_string: `${markup}\n${markup}` },
      "updated",
    );
    writer.use(markup.slice(0, 60), { [markup]: markup }, markup);
    writer.say(`We decided to use ${markup} from now on because ${markup} is better.`);
  }
}
