// npm run bench [name] [-- --rounds N --examples --out FILE --only TOOL]: runs all benchmarks or the named ones.
// Most times are given as ratios to a baseline measured in the same run.
import { parseArgs } from "node:util";
import "../dev/text-hooks.ts";
import { benchEmbed } from "./embed.ts";
import { benchFilter } from "./filter.ts";
import { benchHooks } from "./hook.ts";
import { benchLinks } from "./links.ts";
import { benchMcp } from "./mcp.ts";
import { benchInjection } from "./injection.ts";
import { benchMemory } from "./memory.ts";
import { benchParaphrase } from "./paraphrase.ts";
import { benchRecall } from "./recall.ts";
import { benchSearch } from "./search.ts";
import { benchServer } from "./server.ts";
import { benchSpace } from "./space.ts";
import { benchSync } from "./sync.ts";
import { benchWhy } from "./why.ts";
import { benchWorker } from "./worker.ts";

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    examples: { type: "boolean", default: false },
    out: { type: "string" },
    only: { type: "string", multiple: true },
  },
  allowPositionals: true,
});

const BENCHMARKS: Record<string, (rounds: number) => Promise<void>> = {
  hook: benchHooks,
  sync: benchSync,
  filter: benchFilter,
  recall: benchRecall,
  paraphrase: benchParaphrase,
  search: benchSearch,
  links: benchLinks,
  why: benchWhy,
  // Loaded here: these modules import SQL files and prompts, which need the loader of dev/text-hooks.ts.
  locomo: async () => (await import("./locomo.ts")).benchLocomo(),
  tokens: async () => (await import("./tokens.ts")).benchTokens(),
  labels: async () => (await import("./labels.ts")).benchLabels({ out: values.out }),
  space: benchSpace,
  worker: benchWorker,
  mcp: benchMcp,
  server: benchServer,
  memory: () => benchMemory({ examples: values.examples }),
  embed: benchEmbed,
  soak: async () => (await import("./soak.ts")).benchSoak(),
  injection: () => benchInjection({ out: values.out }),
};

/** Only run when named: they take long, or download. */
const ON_DEMAND: typeof BENCHMARKS = {
  peers: async (rounds) =>
    (await import("./peers/main.ts")).benchPeers({ rounds, out: values.out, only: values.only ?? [] }),
};

const wanted = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS);
for (const name of wanted) {
  const benchmark = BENCHMARKS[name] ?? ON_DEMAND[name];
  if (benchmark === undefined) {
    console.error(
      `Unknown benchmark "${name}". Use one of: ${[...Object.keys(BENCHMARKS), ...Object.keys(ON_DEMAND)].join(", ")}`,
    );
    process.exit(2);
  }
  await benchmark(Number(values.rounds));
}
