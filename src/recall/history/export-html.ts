// Exports a transcript as one HTML page without scripts or external resources. All recorded text is escaped.
import { capped, type ExportDetail, headerFacts, ROLE_LABELS, turnHeading } from "./export-markdown.ts";
import type { Item, Transcript, Turn } from "./transcript.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: #1d1f24; --soft: #6a6f7a; --line: #e3e5ea; --tint: #f5f6f8; --accent: #2457d6; --bad: #b3261e; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6eb; --soft: #9aa0ac; --line: #33363d; --tint: #202329; --accent: #8ab4f8; --bad: #f2b8b5; --good: #7ee787; background: #17191d; } }
body { max-width: 50rem; margin: 2.5rem auto; padding: 0 1.25rem; color: var(--ink); font: 16px/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: .85rem; font-weight: 600; color: var(--soft); border-top: 1px solid var(--line); padding-top: 1.25rem; margin-top: 2.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; font-size: .85rem; }
dt { color: var(--soft); } dd { margin: 0; }
.prompt { border-left: 3px solid var(--accent); background: var(--tint); padding: .75rem 1rem; border-radius: 0 6px 6px 0; white-space: pre-wrap; }
.said { margin: 1rem 0; } .said p, .thinking { white-space: pre-wrap; margin: .6rem 0; }
.thinking, .label { color: var(--soft); font-style: italic; font-size: .9rem; }
.tool { font-size: .85rem; color: var(--soft); margin: .15rem 0; } .tool b { color: var(--ink); font-weight: 600; }
.bad { color: var(--bad); } .good { color: var(--good); }
code, pre { font: .85em/1.5 ui-monospace, monospace; } code { background: var(--tint); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--tint); padding: .75rem 1rem; border-radius: 6px; overflow-x: auto; white-space: pre-wrap; }
details { margin: .15rem 0; } summary { cursor: pointer; } .inside { margin-left: 1.25rem; }
`;

export function toHtml(transcript: Transcript, detail: ExportDetail): string {
  const { session, turns } = transcript;
  const title = escape(session.title ?? session.subtitle ?? "Untitled session");
  const facts = headerFacts(transcript).map(([label, value]) => `<dt>${escape(label)}</dt><dd>${escape(value)}</dd>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<dl>${facts.join("")}</dl>
${turns.map((turn) => turnHtml(turn, detail)).join("\n")}
</body>
</html>
`;
}

function turnHtml(turn: Turn, detail: ExportDetail): string {
  const at = new Date(turn.at).toISOString();
  const time = `<time datetime="${at}">${at.slice(0, 16).replace("T", " ")} UTC</time>`;
  const { prompt } = turn;
  const parts = [
    `<h2>${turnHeading(turn)} · ${time}</h2>`,
    prompt === undefined ? "" : `<div class="prompt" id="${prompt.id}">${escape(prompt.text.trim())}</div>`,
    ...turn.items.map((item) => itemHtml(item, detail)),
    ...turn.commits.map(
      ({ sha, subject }) => `<div class="tool"><b>commit</b> <code>${escape(sha)}</code> ${escape(subject)}</div>`,
    ),
  ];
  return `<section>\n${parts.filter(Boolean).join("\n")}\n</section>`;
}

function itemHtml(item: Item, detail: ExportDetail): string {
  switch (item.kind) {
    case "message": {
      const { id, role, text, thinking } = item;
      const thought = detail.thinking && thinking ? `<div class="thinking">${escape(thinking.trim())}</div>` : "";
      if (text.trim() === "") return thought;
      const label = ROLE_LABELS[role] === "" ? "" : `<div class="label">${ROLE_LABELS[role]}</div>`;
      return `${thought}${label}<div class="said"${id === undefined ? "" : ` id="${id}"`}>${prose(text)}</div>`;
    }
    case "tool": {
      const { id, name, subject, outcome, isError, input, output } = item;
      const result = outcome === "" ? "" : ` → <span class="${isError ? "bad" : "good"}">${escape(outcome)}</span>`;
      const line = `<b>${escape(name)}</b> <code>${escape(subject)}</code>${result}`;
      if (!detail.tools) return `<div class="tool" id="${id}">${line}</div>`;
      const printed = output === "" ? "" : `<pre>${escape(capped(output))}</pre>`;
      return `<details class="tool" id="${id}"><summary>${line}</summary><pre>${escape(capped(input))}</pre>${printed}</details>`;
    }
    case "subagent": {
      const { session_id, title, subtitle, report } = item.session;
      const summary = `<b>subagent</b> ${escape(title ?? subtitle ?? "")} <code>${escape(session_id)}</code>`;
      const inside = item.items.map((inner) => itemHtml(inner, detail)).join("\n");
      const said = report ? `<div class="said">${prose(report)}</div>` : "";
      return `<details class="tool"><summary>${summary}</summary><div class="inside">${inside}${said}</div></details>`;
    }
  }
}

/** Renders fenced and inline code, headings and bold; the rest of Markdown stays as written. */
function prose(text: string): string {
  const parts = text.trim().split(/^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)(?:^\1[ \t]*$|$(?![\s\S]))/gm);
  let html = "";
  // Splitting by a pattern with two groups gives: text, fence, code, text, fence, code, …
  for (let index = 0; index < parts.length; index += 3) {
    const plain = (parts[index] ?? "").trim();
    if (plain !== "")
      html += plain
        .split(/\n{2,}/)
        .map((paragraph) => `<p>${inline(paragraph)}</p>`)
        .join("");
    const source = parts[index + 2];
    if (source !== undefined) html += `<pre>${escape(source.trimEnd())}</pre>`;
  }
  return html;
}

function inline(text: string): string {
  return escape(text)
    .replace(/`([^`\n]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*\n]+)\*\*/g, "<strong>$1</strong>")
    .replace(/^#{1,6} +(.+)$/gm, "<strong>$1</strong>");
}

function escape(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[^\P{Cc}\n\t]/gu, "").replace(/[&<>"']/g, (character) => names[character] ?? "");
}
