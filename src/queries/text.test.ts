// The text that queries print, and their errors, all on one store.
import { describe, expect, it } from "vitest";
import { asker, BASKET, createQueryWorld, emptyWorld, FAILED } from "../../test/query-world.ts";
import { blame } from "./blame.ts";
import { context } from "./context.ts";
import { cost } from "./cost.ts";
import { effort, efforts } from "./efforts.ts";
import { sessionExport } from "./export.ts";
import { fix } from "./fix.ts";
import { how } from "./how.ts";
import { impact } from "./impact.ts";
import { list } from "./list.ts";
import { observation, observations } from "./observations.ts";
import { projects } from "./projects.ts";
import { related } from "./related.ts";
import { resume } from "./resume.ts";
import { search } from "./search.ts";
import { find } from "./session-items.ts";
import { session } from "./session.ts";
import { show } from "./show.ts";
import { stats } from "./stats.ts";
import { timeline } from "./timeline.ts";
import { workerLog } from "./worker.ts";

const PROMPT = "Why is the basket not emptied after checkout?";
const TITLE = "Empty the basket";
const HEAD = [
  TITLE,
  "  session  1b2c3d4e-basket",
  "  agent    claude-code",
  "  project  app, branch main",
  "  when     2026-01-05 09:01, 6 min (completed)",
  "  work     1 prompt, 4 tool uses, 1 file changed",
  "",
];
const TURN = "── turn 1 ── 2026-01-05 09:01, 6 min ".padEnd(100, "─");
const FOUND = [
  `${TITLE}  app, claude-code, 2 days ago`,
  `  prompt: ${PROMPT}`,
  "  c-mem show --turn 1 1b2c3d4e",
  "",
  "The header is dark now  app, claude-code, 24 h ago",
  '  tool: Read {"file_path":"/app/src/basket.js"} done',
  "  c-mem show --turn 1 5f6a7b8c",
  "",
];
const BASKET_TURN = [
  `2026-01-05 09:01  ${PROMPT}  p1`,
  "│   changed src/basket.js +3 -1",
  `│   failed  npm test → exit 1: ${FAILED}`,
  "│   commit abc1234 Empty the basket",
  "│",
  "┌ 5f6a7b8c  app: The header is dark now",
];

type Values = Record<string, unknown>;

const TEXTS: [string, object, Values, string[]][] = [
  ["search shows each session with the text that matches", search, { q: "basket" }, FOUND],
  [
    "search says that no session has the phrase",
    search,
    { q: '"checkout basket"', limit: 1 },
    ["[No session has the exact phrase. Showing results for its words.]", ...FOUND.slice(0, 4)],
  ],
  [
    "search corrects a misspelt word and says so",
    search,
    { q: "baskett" },
    ["[No exact match. Showing results for: basket]", ...FOUND],
  ],
  [
    "list shows the sessions of the current project",
    list,
    {},
    [
      `session   when              title${" ".repeat(52)} prompts  files`,
      `5f6a7b8c  2026-01-06 09:03  The header is dark now${" ".repeat(42)}1      1`,
      `1b2c3d4e  2026-01-05 09:07  ${TITLE}${" ".repeat(48)}1      1`,
    ],
  ],
  [
    "list names agents and projects, and counts the sessions",
    list,
    { all: true, limit: 1 },
    [
      "[1 of 3 sessions (-n 2 shows more)]",
      `session   when              agent  project  title${" ".repeat(36)} prompts  files`,
      `9d0e1f2a  2026-01-06 10:01  codex  other    List the invoices of May${" ".repeat(24)}1`,
    ],
  ],
  [
    "show prints a session turn by turn",
    show,
    { id: "1b2c" },
    [
      ...HEAD,
      `  asked      ${PROMPT}`,
      "  done       Changed 1 file (+3 −1): basket.js. Commit abc1234: Empty the basket.",
      "             Outcome: committed as abc1234.",
      `  notes      \`npm test\` failed (${FAILED}), then passed.`,
      "",
      TURN,
      "",
      `❯ ${PROMPT} p1`,
      "",
      "  ✗ Bash  npm test  → exit 1  t1",
      "  · Edit  src/basket.js  → +3 -1  t2",
      "  · Bash  npm test  t3",
      "  · Bash  git commit -m 'Empty the basket'  t4",
      "",
      "  The basket kept a copy of its items; checkout empties both now. m1",
      "",
      "  commit abc1234 Empty the basket",
    ],
  ],
  [
    "show prints an item with its neighbours, and the input and output of tools",
    show,
    { id: "t1", tools: true },
    [
      ...HEAD,
      TURN,
      "",
      `❯ ${PROMPT} p1`,
      "",
      "  ✗ Bash  npm test  → exit 1  t1",
      "    ▸ command: npm test",
      "    │ Exit code 1",
      `    │ ${FAILED}`,
      "  · Edit  src/basket.js  → +3 -1  t2",
      "    ▸ file_path: /app/src/basket.js",
      "    │ done",
      "  · Bash  npm test  t3",
      "    ▸ command: npm test",
      "    │ all passed",
      "",
      "  commit abc1234 Empty the basket",
    ],
  ],
  [
    "show prints an observation with its evidence",
    show,
    { id: "o2" },
    [
      "Empty the basket",
      "  observation  o2 (feature)",
      "  project      app",
      "  valid        from 2026-01-05 09:05",
      "  source       extractor, from the words of the assistant",
      `  session      1b2c3d4e ${TITLE}`,
      "  concepts     what-changed",
      "  modified     src/basket.js",
      "",
      "  Changed 1 file (+3 −1): basket.js.",
      "",
      "── evidence",
      `  ❯ ${PROMPT} p1`,
      "  · Bash  git commit -m 'Empty the basket'  t4",
      "  · Edit  src/basket.js  → +3 -1  t2",
    ],
  ],
  [
    "timeline marks the turn of its anchor",
    timeline,
    { anchor: "t1" },
    [
      `┌ 1b2c3d4e  app: ${TITLE}`,
      `▶ ${BASKET_TURN[0]}`,
      ...BASKET_TURN.slice(1),
      "│ 2026-01-06 09:00  Make the header of the shop darker  p2",
      "│   changed src/header.css +3 -1",
    ],
  ],
  [
    "timeline without an anchor ends with the latest turn",
    timeline,
    { anchor: " " },
    [
      `┌ 1b2c3d4e  app: ${TITLE}`,
      `│ ${BASKET_TURN[0]}`,
      ...BASKET_TURN.slice(1),
      "▶ 2026-01-06 09:00  Make the header of the shop darker  p2",
      "│   changed src/header.css +3 -1",
    ],
  ],
  [
    "blame shows which session changed a file and why",
    blame,
    { path: "./src/basket.js" },
    [
      "src/basket.js",
      "",
      "1b2c3d4e  2026-01-05 09:03  1 edit, +3 -1",
      `    ${PROMPT}  p1`,
      "    in: Empty the basket",
      "    commit abc1234 Empty the basket",
    ],
  ],
  [
    "blame names each file of a folder",
    blame,
    { path: "src", reads: true, limit: 2 },
    [
      "[The 2 newest changes (-n 4 shows more)]",
      "src/basket.js, src/header.css",
      "",
      "5f6a7b8c  2026-01-06 09:02  1 read",
      "    src/basket.js",
      "    Make the header of the shop darker  p2",
      "    in: The header is dark now",
      "",
      "5f6a7b8c  2026-01-06 09:01  1 edit, +3 -1",
      "    src/header.css",
      "    Make the header of the shop darker  p2",
      "    in: The header is dark now",
    ],
  ],
  [
    "fix shows what fixed an error",
    fix,
    { error: FAILED },
    [
      `✗ ${FAILED}`,
      "  occurred  2026-01-05 09:02 in 1b2c3d4e  t1",
      "  command   npm test → exit 1",
      "  changed   src/basket.js",
      "  then      ✓ the same command passed, 2 min later  t3",
      "  message   The basket kept a copy of its items; checkout empties both now.",
    ],
  ],
  [
    "how shows how often a command worked",
    how,
    { q: "npm test" },
    ["✓ npm test", "    2 runs, 50% worked, last 2026-01-05 09:04 in 1b2c3d4e", `    failed exit 1: ${FAILED}  t1`],
  ],
  [
    "how shows the inputs of a tool",
    how,
    { q: "Edit" },
    [
      "✓ Edit",
      "    2 runs, 100% worked, last 2026-01-06 09:01 in 5f6a7b8c",
      "    file_path=/app/src/header.css  t5",
      "    file_path=/app/src/basket.js  t2",
    ],
  ],
  [
    "resume prints the agent's command",
    resume,
    { id: "last" },
    ["[The header is dark now (claude-code, 2026-01-06 09:03)]", "claude --resume 5f6a7b8c-header"],
  ],
  [
    "observations lists the newest",
    observations,
    {},
    ["o1  2026-01-06 09:01  feature    The header is dark now", "o2  2026-01-05 09:05  feature    Empty the basket"],
  ],
  [
    "observations finds words in every project",
    observations,
    { q: "basket", all: true },
    ["o2  2026-01-05 09:05  feature    app  Empty the basket"],
  ],
  [
    "related shows why sessions are related",
    related,
    { id: BASKET },
    [
      `${TITLE}  1b2c3d4e`,
      "",
      "5f6a7b8c  2026-01-06 09:03  The header is dark now",
      "          on the same branch main, 24 h apart",
    ],
  ],
  [
    "stats shows totals, and counts by agent, project and tool",
    stats,
    { all: true },
    [
      "Stored for all projects",
      "  sessions   3",
      "  prompts    3",
      "  messages   1",
      "  tool uses  6, 17% failed",
      "  changes    2 files, +6 -2 lines, 1 commit",
      "  tokens     10 in, 5 out",
      "  from, to   2026-01-05 09:01, 2026-01-06 10:01",
      expect.stringMatching(/^ {2}database {3}\S+ [KM]B for all projects$/) as string,
      "",
      "By agent",
      `  claude-code    2 sessions      2 prompts       6 tool uses  ${"▇".repeat(20)}`,
      `  codex           1 session       1 prompt       0 tool uses  ${"▇".repeat(10)}`,
      "",
      "By project",
      `  app      2 sessions      2 prompts       6 tool uses  ${"▇".repeat(20)}`,
      `  other     1 session       1 prompt       0 tool uses  ${"▇".repeat(10)}`,
      "",
      "By tool",
      `  Bash        3    33% failed  ${"▇".repeat(20)}`,
      `  Edit        2                ${"▇".repeat(13)}`,
      `  Read        1                ${"▇".repeat(7)}`,
    ],
  ],
];

const ERRORS: [object, Values, string][] = [
  [search, { q: " " }, "usage: The words are missing."],
  [search, { q: "quokka" }, 'nothing_found: No session in app matches "quokka".'],
  [search, { q: "x", kind: "tool", role: "user" }, "usage: --kind tool and --role user exclude each other."],
  [search, { q: "x", project: "unknown" }, 'nothing_found: No project "unknown".'],
  [search, { q: "x", agent: "other" }, 'usage: Unknown agent "other".'],
  [list, { before: "2020-01-01" }, "nothing_found: No session in app matches."],
  [show, { id: "zzzz" }, 'nothing_found: No session has an id that begins with "zzzz".'],
  [show, { id: "o99" }, "nothing_found: No observation o99."],
  [show, { id: "1b2c", turn: 7 }, "nothing_found: The session has no turn 7."],
  [timeline, { anchor: "o99" }, "nothing_found: There is no observation o99."],
  [timeline, { type: "refactor" }, "nothing_found: No turn here has an observation of type refactor."],
  [blame, { path: " " }, "usage: Name a file or a folder."],
  [blame, { path: "src/none.js" }, "nothing_found: No session in app changed src/none.js."],
  [fix, {}, "usage: No error given. One line of it is enough."],
  [fix, { error: "ENOENT: no quokka" }, "nothing_found: No session in app had this error."],
  [how, { q: " " }, "usage: Name a command or tool."],
  [how, { q: "quokka" }, 'nothing_found: No command or tool run in app matches "quokka".'],
  [resume, { id: "zzzz zzzz" }, 'nothing_found: No session matches "zzzz zzzz".'],
  [observations, { type: "refactor" }, "nothing_found: No observation in app."],
  [observation, { id: "p1" }, "usage: This is not an observation id."],
  [session, { id: "" }, "usage: The session id is empty."],
  [efforts, {}, "nothing_found: No efforts in app yet."],
  [effort, { id: BASKET }, "nothing_found: Session 1b2c3d4e is not part of an effort."],
  [related, { id: "9d0e", all: true }, expect.stringContaining("Nothing is related to 9d0e1f2a") as string],
  [stats, { before: "2020-01-01" }, "nothing_found: No session in app matches."],
  [impact, {}, "nothing_found: Nothing has been injected in app yet."],
  [cost, { days: 1 }, "nothing_found: No model usage in the last 1 day."],
  [context, { project: "unknown" }, 'nothing_found: No project "unknown".'],
  [sessionExport, { id: "zzzz zzzz" }, 'nothing_found: No session matches "zzzz zzzz".'],
  [find, { id: "zzzz", q: "x" }, 'nothing_found: No session has an id that begins with "zzzz".'],
  [workerLog, {}, "nothing_found: The worker's log is empty."],
];

describe("the text of a query", () => {
  const ask = asker(createQueryWorld());

  it.each(TEXTS)("%s", async (_title, query, values, lines) => {
    expect(await ask.text(query, values)).toEqual(lines);
  });
});

describe("the error of a query", () => {
  const ask = asker(createQueryWorld());

  it.each(ERRORS.map(([query, values, error]) => [(query as { name: string }).name, values, query, error] as const))(
    "%s %j",
    async (_name, values, query, error) => {
      expect(await ask.error(query, values)).toEqual(error);
    },
  );

  it.each([list, search, timeline, observations, blame, stats])(
    "names the project if it has no sessions: $name",
    async (query) => {
      const error = await asker(emptyWorld()).error(query, { q: "x", path: "x" });
      expect(error).toMatch(/^nothing_found: No sessions of app .* yet\.$/);
    },
  );

  it("says that there are no projects", async () => {
    expect(await asker(emptyWorld()).error(projects)).toBe("nothing_found: No projects yet.");
  });
});
